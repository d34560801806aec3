package io.millrace.api.job;

import java.util.List;

/**
 * Something done to many jobs at once.
 *
 * @param verb what
 * @param ids the jobs; null or empty to choose by the search
 * @param search as in lists, for instance {@code state:failed tag:nightly}; null with ids. Without
 *     {@code kind:} it means submitted jobs
 * @param priority the new one for PRIORITY; null otherwise
 * @param reason for people, kept in each job's history; null for none
 * @param dryRun whether it only counts
 */
public record JobAction(
    Verb verb, List<Long> ids, String search, Integer priority, String reason, boolean dryRun) {
  /** What can be done to jobs. */
  public enum Verb {
    /** Waiting ones end at once, running ones are stopped. */
    CANCEL,
    /** Those not started yet wait until released. */
    HOLD,
    /** Held ones wait for a slot again. */
    RELEASE,
    /** Failed and cancelled ones are tried again. */
    RETRY,
    /** Their priority changes, for running ones from the next try. */
    PRIORITY
  }

  public JobAction {
    ids = ids == null ? List.of() : List.copyOf(ids);
  }

  /** The action on these jobs. */
  public static JobAction on(List<Long> ids, Verb verb, String reason) {
    return new JobAction(verb, ids, null, null, reason, false);
  }

  /**
   * What became of an action on many jobs.
   *
   * @param matched jobs chosen
   * @param changed jobs that changed, or would
   * @param unchanged why others did not, at most 100
   */
  public record JobActionAnswer(long matched, long changed, List<Refusal> unchanged) {
    /**
     * A job that the action doesn't fit.
     *
     * @param job its id
     * @param reason for people
     */
    public record Refusal(long job, String reason) {}
  }
}
