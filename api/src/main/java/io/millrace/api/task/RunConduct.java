package io.millrace.api.task;

import java.time.Instant;

/**
 * What the task manager of a run needs to know for its next step.
 *
 * @param run the run; workers that ended are counted even before a step has noted them
 * @param definition the version that the run keeps
 * @param pending chunks to be done again, before those that were never started
 * @param nextChunk position of the next chunk that was never started, from 0
 * @param listed whether the chunks are known
 * @param listing the command that prints the chunks
 * @param verifying the command that verifies the run
 * @param idle workers that found nothing to do
 * @param failedInRow workers that failed for good since the last success
 * @param unsettled workers that ended and that no step has noted yet
 * @param chunkSeconds measured time of one worker for one chunk, of this run or the ones before; 0
 *     while unknown
 * @param endBy when it should have ended (H-023); null for no matter
 * @param stopping whether it is being stopped, so that nothing is started any more
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
