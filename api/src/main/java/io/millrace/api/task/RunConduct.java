package io.millrace.api.task;

import io.millrace.api.task.RunStep.StepState;
import java.time.Instant;

/**
 * What the task manager of a run needs to know for its next step.
 *
 * @param run the run; ended workers are counted even before a step has recorded them
 * @param definition the version that the run uses
 * @param pending chunks to be repeated, before those that were never started
 * @param nextChunk position of the next chunk that was never started, from 0
 * @param listed whether the chunks are known
 * @param listing the command that prints the chunks
 * @param verifying the command that verifies the run
 * @param idle workers that found nothing to do
 * @param failedInRow workers that failed and are not retried, since the last success
 * @param unsettled ended workers that no step has recorded yet
 * @param chunkSeconds measured time of one worker for one chunk, in this or earlier runs; 0 while
 *     unknown
 * @param endBy when it should have ended (H-023); null for no limit
 * @param stopping whether it is being stopped, so that nothing more is started
 * @param now by the database's clock
 */
public record RunConduct(
    TaskRunView run,
    TaskDefinition definition,
    long pending,
    long nextChunk,
    boolean listed,
    StepState listing,
    StepState verifying,
    long idle,
    int failedInRow,
    int unsettled,
    double chunkSeconds,
    Instant endBy,
    boolean stopping,
    Instant now) {}
