package io.millrace.api.task;

import io.millrace.api.workflow.WorkflowState;
import java.time.Instant;
import java.util.List;

/**
 * One run of a task.
 *
 * @param id its number
 * @param task the task
 * @param version version of the definition that it uses
 * @param cause why
 * @param plannedAt when it was planned; the last of them for a record of several missed times
 * @param startedAt null if it never started
 * @param endedAt null while it continues
 * @param state its state
 * @param reason human-readable; null if there is nothing to add
 * @param by who set it; null for the schedule
 * @param total its chunks, workers or steps; 0 while unknown
 * @param done how many of them are done
 * @param failed how many of them failed and are not retried
 * @param running workers now; of a workflow, steps that run or wait for a slot
 * @param manager job of its task manager; null before the start
 * @param plannedFrom the first of the missed times that it records; null if it records one time
 * @param plannedTimes how many planned times it records; 1 unless several were missed
 * @param parameters what was added to the definition, with a mask in place of what looks like a
 *     secret; null for none
 * @param workflow what it submitted; null for a run of jobs, and before the submission
 */
public record TaskRunView(
    long id,
    String task,
    int version,
    RunCause cause,
    Instant plannedAt,
    Instant startedAt,
    Instant endedAt,
    RunState state,
    String reason,
    String by,
    long total,
    long done,
    long failed,
    int running,
    Long manager,
    Instant plannedFrom,
    long plannedTimes,
    RunParameters parameters,
    RunWorkflow workflow) {

  /** A run of jobs without parameters. */
  public TaskRunView(
      long id,
      String task,
      int version,
      RunCause cause,
      Instant plannedAt,
      Instant startedAt,
      Instant endedAt,
      RunState state,
      String reason,
      String by,
      long total,
      long done,
      long failed,
      int running,
      Long manager,
      Instant plannedFrom,
      long plannedTimes) {
    this(
        id,
        task,
        version,
        cause,
        plannedAt,
        startedAt,
        endedAt,
        state,
        reason,
        by,
        total,
        done,
        failed,
        running,
        manager,
        plannedFrom,
        plannedTimes,
        null,
        null);
  }

  /**
   * The workflow of a run.
   *
   * @param id its number
   * @param state where it stands now; null if it was deleted
   */
  public record RunWorkflow(long id, WorkflowState state) {}

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
     * @param reason why, human-readable; null if unknown
     */
    public record FailedChunk(long position, String chunk, Long job, String reason) {}
  }
}
