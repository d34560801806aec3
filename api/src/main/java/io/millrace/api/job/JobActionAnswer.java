package io.millrace.api.job;

import java.util.List;

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
