package io.millrace.manager.job;

import io.millrace.api.job.JobAction.Verb;

/**
 * What somebody wants done to jobs.
 *
 * @param verb what
 * @param priority the new one for PRIORITY; null otherwise
 * @param who wants it, for people; null when the reason says all
 * @param reason for people; null for none
 */
public record ActionRequest(Verb verb, Integer priority, String who, String reason) {
  /** What was done, by whom and why, for histories. */
  public String words(String done) {
    if (who == null) {
      return reason;
    }
    String by = done + " by " + who;
    return reason == null || reason.isBlank() ? by : by + ": " + reason.strip();
  }
}
