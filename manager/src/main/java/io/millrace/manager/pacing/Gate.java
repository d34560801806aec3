package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import java.util.Arrays;
import java.util.Optional;

/** What limited a decision to fewer workers than the policy wanted. */
@Pure
public enum Gate {
  /** The policy's own number stands. */
  NONE("nothing limited it"),
  /** The segment or the workers could not be read, so nothing is submitted (H-157). */
  NO_FIGURES("its queue node could not be read, and nothing is started without figures"),
  /** Operators have paused consuming. */
  PAUSED("operators have paused consuming ('millrace queue resume' ends the pause)"),
  /** Too many workers are waiting for a slot already (H-179). */
  SUBMITTED_NOT_STARTED(
      "no more workers than pacing.maxStarting may wait for a slot: while they wait, more slots"
          + " would help, more workers would not"),
  /** The queue has its maximum of workers in the whole cluster. */
  MAX_WORKERS(
      "no more workers than pacing.maxWorkers may be submitted or running; a place that becomes"
          + " free is used at once"),
  /** The segment has started workers for as many events as its rate allows. */
  MAX_RATE("the rate of its events is limited (pacing.maxEventsPerSecond)"),
  /** Workers fail whatever they are given: only probes are started. */
  BREAKER_OPEN(
      "its workers fail whatever they are given, so only probes are started ('millrace queue logs"
          + " --failed' shows why)"),
  /** The number of workers that one tick may start is limited. */
  MAX_STARTS("the number of workers started per tick is limited"),
  /** The segment's node is BUSY: half. */
  NODE_BUSY("its queue node was busy, so half of the workers were started"),
  /** The segment's node is TOOBUSY: fewer than finished, so that its load falls (H-216). */
  NODE_TOOBUSY("its queue node was too busy, so fewer workers were started than finished"),
  /** More workers bring no more acknowledged events: only what finished is replaced (H-214). */
  COMPLETIONS_FLAT("more workers do not finish more events: what they depend on is the bottleneck");

  private final String explanation;

  Gate(String explanation) {
    this.explanation = explanation;
  }

  /** Whether a recorded decision was limited; true for a gate that this version does not know. */
  public static boolean limits(String recorded) {
    return !recorded.equals(NONE.name());
  }

  /** The gate of that name; empty for one that this version does not know. */
  static Optional<Gate> named(String recorded) {
    return Arrays.stream(values()).filter(gate -> gate.name().equals(recorded)).findFirst();
  }

  /**
   * What a recorded gate means to an operator and what to do about it; the name itself for a gate
   * that this version does not know.
   */
  public static String explain(String recorded) {
    for (Gate gate : values()) {
      if (gate.name().equals(recorded)) {
        return gate.explanation;
      }
    }
    return recorded;
  }
}
