package io.millrace.api.job;

import java.util.List;

/**
 * An action on many jobs at once.
 *
 * @param verb the action
 * @param ids the jobs; null or empty to select by the search
 * @param search as in lists, for instance {@code state:failed tag:nightly}; null with ids. Without
 *     {@code kind:} it selects submitted jobs
 * @param priority the new one for PRIORITY; null otherwise
 * @param reason human-readable, kept in each job's history, or for DELETE in the log of the central
 *     manager; null for none
 * @param dryRun whether to count only
 * @param dependents whether RETRY also retries the jobs that were cancelled because of these, and
 *     those that were cancelled because of them, and so on; invalid with other verbs
 */
public record JobAction(
    Verb verb,
    List<Long> ids,
    String search,
    Integer priority,
    String reason,
    boolean dryRun,
    boolean dependents) {
  /** The actions on jobs. */
  public enum Verb {
    /** Waiting jobs end at once, running ones are stopped. */
    CANCEL,
    /** Jobs that have not started wait until they are released. */
    HOLD,
    /** Held jobs wait for a slot again. */
    RELEASE,
    /** Failed and cancelled jobs are run again. */
    RETRY,
    /** Their priority changes, for running jobs from the next attempt. */
    PRIORITY,
    /** Ended jobs are deleted with their attempts and histories; arrays with all their elements. */
    DELETE
  }

  public JobAction {
    ids = ids == null ? List.of() : List.copyOf(ids);
  }

  /** The action on these jobs. */
  public static JobAction on(List<Long> ids, Verb verb, String reason) {
    return new JobAction(verb, ids, null, null, reason, false, false);
  }

  /**
   * The result of an action on many jobs.
   *
   * @param matched jobs selected
   * @param changed jobs that changed, or would change
   * @param unchanged why others did not, at most 100
   */
  public record JobActionAnswer(long matched, long changed, List<Refusal> unchanged) {
    /**
     * A job to which the action does not apply.
     *
     * @param job its id
     * @param reason human-readable
     */
    public record Refusal(long job, String reason) {}
  }
}
