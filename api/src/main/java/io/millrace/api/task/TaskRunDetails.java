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
}
