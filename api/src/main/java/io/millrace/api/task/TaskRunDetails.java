package io.millrace.api.task;

import java.util.List;

/**
 * All that is known of a run.
 *
 * @param run as in lists
 * @param failedChunks what failed for good, the first of them
 */
public record TaskRunDetails(TaskRunView run, List<FailedChunk> failedChunks) {
  public TaskRunDetails {
    failedChunks = List.copyOf(failedChunks);
  }

  /**
   * A chunk, or a worker without one, that failed for good.
   *
   * @param position in the run, from 0
   * @param chunk null for a worker without one
   * @param job what failed; null when it is to be done again, and when a program had taken it
   * @param reason why, for people; null if unknown
   */
  public record FailedChunk(long position, String chunk, Long job, String reason) {}
}
