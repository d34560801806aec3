package io.millrace.manager.task;

/**
 * What ended workers came to, to be added to their run.
 *
 * @param done workers that succeeded
 * @param idle of these, workers that found nothing to do
 * @param failed workers that failed for good
 * @param failedInRow failures since the last success, those before included
 * @param workerMillis what the successful ones that found work took together
 * @param more chunks that there are now besides
 */
public record Settled(
    long done, long idle, long failed, int failedInRow, long workerMillis, long more) {
  /** Adds it to a run as it is kept. */
  public RunRow to(RunRow run) {
    return new RunRow(
        run.id(),
        run.task(),
        run.version(),
        run.cause(),
        run.plannedAt(),
        run.state(),
        run.reason(),
        run.saidBy(),
        run.startedAt(),
        run.endedAt(),
        run.managerJob(),
        run.stopAs(),
        run.total() + more,
        run.listed(),
        run.nextChunk(),
        run.done() + done,
        run.idle() + idle,
        run.failed() + failed,
        failedInRow,
        run.workerMillis() + workerMillis,
        run.plannedFrom(),
        run.plannedTimes());
  }
}
