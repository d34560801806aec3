package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.api.job.WaitCode;

/** What keeps a job off a node, in the order in which it is asked: later ones are closer to yes. */
@Pure
enum Obstacle {
  NO_MATCH(WaitCode.NO_MATCH),
  TOO_LARGE(WaitCode.TOO_LARGE),
  NOT_ASKED(WaitCode.NOT_ASKED),
  CLOSED(WaitCode.NODES_CLOSED),
  QUICK_FAILURES(WaitCode.QUICK_FAILURES),
  NO_SLOT(WaitCode.NO_SLOT),
  NO_RESOURCE(WaitCode.NO_RESOURCE),
  KEPT(WaitCode.RESERVED);

  private final WaitCode code;

  Obstacle(WaitCode code) {
    this.code = code;
  }

  WaitCode code() {
    return code;
  }

  /** Whether the node would take the job if only it were emptier. */
  boolean passes() {
    return compareTo(NO_SLOT) >= 0;
  }
}
