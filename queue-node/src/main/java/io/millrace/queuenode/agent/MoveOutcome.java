package io.millrace.queuenode.agent;

import io.millrace.api.weight.MoveAnswer;

/** What became of a request to change weight rows. */
sealed interface MoveOutcome {
  /** The rows are changed. */
  record Done(MoveAnswer answer) implements MoveOutcome {}

  /** Nothing is changed, and won't be by this request. */
  record Refused(String reason) implements MoveOutcome {}

  /** Nobody said; asked again under the same id, the request is carried out once. */
  record Unknown(String reason) implements MoveOutcome {}
}
