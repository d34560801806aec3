package io.millrace.queuenode.agent;

import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.MoveAnswer;

/** The weight rows of the database, changed through any central manager. Thread-safe. */
final class WeightClient {
  private static final int FIRST_STATUS_OF_SERVER_FAULTS = 500;

  private final CentralClient central;

  WeightClient(CentralClient central) {
    this.central = central;
  }

  /**
   * Requests all moves or none. Blocks. A refusal with a reason is final; a network or server error
   * is not: the rows may have changed before the answer was lost.
   */
  MoveOutcome change(MoveRequest request) {
    try {
      return new MoveOutcome.Done(central.move(request));
    } catch (MillraceException e) {
      return e.code().status() < FIRST_STATUS_OF_SERVER_FAULTS
          ? new MoveOutcome.Refused(e.getMessage())
          : new MoveOutcome.Unknown(e.getMessage());
    }
  }

  /** The outcome of a request to change weight rows. */
  sealed interface MoveOutcome {
    /** The rows are changed. */
    record Done(MoveAnswer answer) implements MoveOutcome {}

    /** Nothing was changed, and this request will not change anything. */
    record Refused(String reason) implements MoveOutcome {}

    /** Unknown; repeated under the same id, the request is carried out once. */
    record Unknown(String reason) implements MoveOutcome {}
  }
}
