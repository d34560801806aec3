package io.millrace.manager.task;

import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunParameters;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskRunView.RunWorkflow;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/**
 * A run as stored.
 *
 * @param id its number
 * @param task the task
 * @param version of the definition that it uses
 * @param cause why
 * @param plannedAt its planned time
 * @param state its state
 * @param reason human-readable; null for none
 * @param saidBy who requested it; null for the schedule
 * @param startedAt null before
 * @param endedAt null before
 * @param managerJob job of its task manager; null before the start and of a run of a workflow
 * @param stopAs the state in which it was requested to end; null if it was not
 * @param total number of chunks or workers; 0 while unknown
 * @param listed whether the chunks are known
 * @param nextChunk position of the first chunk that was not started yet
 * @param done workers that succeeded
 * @param idle of these, workers that found nothing to do
 * @param failed workers that failed permanently
 * @param failedInRow of these, since the last success
 * @param workerMillis total time of the successful workers
 * @param plannedFrom the first of the missed times that it records; null for a single time
 * @param plannedTimes number of planned times that it records
 */
@RecordBuilder
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
    long plannedTimes)
    implements RunRowBuilder.With {
  /** The run as shown. */
  public TaskRunView view(int running) {
    return view(running, null, null);
  }

  /**
   * The run as shown.
   *
   * @param parameters as they may be shown; null for none
   * @param workflow null for none
   */
  TaskRunView view(int running, RunParameters parameters, RunWorkflow workflow) {
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
        plannedTimes,
        parameters,
        workflow);
  }

  /** Measured time of one worker for one chunk; 0 while unknown. */
  public double chunkSeconds() {
    long worked = done - idle;
    return worked == 0 ? 0 : workerMillis / 1e3 / worked;
  }

  /** Whether it found work; a failed run counts as one that did not. */
  public boolean foundWork() {
    return done > idle && failed == 0;
  }
}
