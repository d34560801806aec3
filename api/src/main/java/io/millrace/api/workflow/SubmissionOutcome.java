package io.millrace.api.workflow;

/**
 * What a submission, or the resumption of what was paused, did to the workflow that it names. A
 * call that is repeated under the same idempotency key because an answer was lost is answered as
 * the first one; without a key it says UNCHANGED or CONTINUED of what the one before it did.
 */
public enum SubmissionOutcome {
  /** It did not exist before. */
  CREATED,

  /** It existed, and the listed steps that are missing are expected. */
  CONTINUED,

  /**
   * It failed or was cancelled before, or it ran: it runs on with this definition. Of a resumption:
   * the pause has ended.
   */
  RESUMED,

  /** It existed and is as it was. Of a resumption: nothing was paused. */
  UNCHANGED
}
