package io.millrace.api.workflow;

/**
 * What the call that was answered did to the workflow that it names. A call that is repeated
 * because an answer was lost says UNCHANGED or CONTINUED of what the one before it did.
 */
public enum SubmissionOutcome {
  /** It did not exist before. */
  CREATED,

  /** It existed, and the listed steps that are missing are expected. */
  CONTINUED,

  /** It failed or was cancelled before, or it ran: it runs on with this definition. */
  RESUMED,

  /** It existed and is as it was. */
  UNCHANGED
}
