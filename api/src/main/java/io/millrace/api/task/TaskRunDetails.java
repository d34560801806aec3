package io.millrace.api.task;

import java.util.List;

/**
 * Everything about a run.
 *
 * @param run as in lists
 * @param failedChunks the first chunks that failed and are not retried
 */
public record TaskRunDetails(TaskRunView run, List<FailedChunk> failedChunks) {
  public TaskRunDetails {
    failedChunks = List.copyOf(failedChunks);
  }

  /**
   * A chunk, or a worker without one, that failed and is not retried.
   *
   * @param position in the run, from 0
   * @param chunk null for a worker without one
   * @param job the failed job; null if the chunk is to be repeated or was taken by a program
   * @param reason why, for people; null if unknown
   */
  public record FailedChunk(long position, String chunk, Long job, String reason) {}
}
