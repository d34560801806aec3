package io.millrace.manager.task;

import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskRunView;
import java.time.Instant;

/**
 * A run as it is kept.
 *
 * @param id its number
 * @param task the task
 * @param version of the definition that it keeps
 * @param cause why
 * @param plannedAt when it was to start
 * @param state where it stands
 * @param reason for people; null if plain
 * @param saidBy who said so; null for the schedule
 * @param startedAt null before
 * @param endedAt null before
 * @param managerJob job of its task manager; null before the start
 * @param stopAs the state that it is asked to end in; null while nobody asks
 * @param total chunks or workers of it; 0 while unknown
 * @param listed whether the chunks are known
 * @param nextChunk position of the next chunk that was never started
 * @param done workers that succeeded
 * @param idle of these, workers that found nothing to do
 * @param failed workers that failed for good
 * @param failedInRow of these, since the last success
 * @param workerMillis what the workers that are done took together
 * @param plannedFrom the first of the missed times that it records; null if it is one
 * @param plannedTimes how many planned times it stands for
 */
public record RunRow(
    long id,
    String task,
    int version,
    RunCause cause,
    Instant plannedAt,
    RunState state,
    String reason,
    String saidBy,
    Instant startedAt,
    Instant endedAt,
    Long managerJob,
    RunState stopAs,
    long total,
    boolean listed,
    long nextChunk,
    long done,
    long idle,
    long failed,
    int failedInRow,
    long workerMillis,
    Instant plannedFrom,
    long plannedTimes) {
  /** As shown. */
  public TaskRunView view(int running) {
    return new TaskRunView(
        id,
        task,
        version,
        cause,
        plannedAt,
        startedAt,
        endedAt,
        state,
        reason,
        saidBy,
        total,
        done,
        failed,
        running,
        managerJob,
        plannedFrom,
        plannedTimes);
  }

  /** Measured time of one worker for one chunk; 0 while unknown. */
  public double chunkSeconds() {
    long worked = done - idle;
    return worked == 0 ? 0 : workerMillis / 1e3 / worked;
  }

  /** Whether it found work; a run that failed counts as one that did not. */
  public boolean foundWork() {
    return done > idle && failed == 0;
  }
}
