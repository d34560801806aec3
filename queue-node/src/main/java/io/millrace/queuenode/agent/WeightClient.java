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
   * Asks for all moves of the request, or none. Blocks. A refusal with a reason is final; a fault
   * on the way or in the server is not: the rows may have changed before the answer was lost.
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

  /** What became of a request to change weight rows. */
  sealed interface MoveOutcome {
    /** The rows are changed. */
    record Done(MoveAnswer answer) implements MoveOutcome {}

    /** Nothing is changed, and won't be by this request. */
    record Refused(String reason) implements MoveOutcome {}

    /** Nobody said; asked again under the same id, the request is carried out once. */
    record Unknown(String reason) implements MoveOutcome {}
  }
}
