package io.millrace.manager.task;

import io.millrace.manager.partition.PartitionedRun;
import io.millrace.manager.task.TaskWorkerDao.WorkerRole;
import io.millrace.manager.task.TaskWorkerDao.WorkerRow;
import java.util.ArrayList;
import java.util.List;

/**
 * The effect of ended workers on their run. Pure.
 *
 * @param counts what to add to the counts of the run
 * @param deleted rows of workers that succeeded, which are only counted
 * @param failed rows of workers that failed permanently
 * @param pending rows of workers that were stopped with their run, whose chunks are left over
 * @param done rows of steps that succeeded
 * @param resources resources of batches of a partitioned task that failed: each becomes a chunk of
 *     its own, and the batch counts as done
 */
record SettleRule(
    RunProgress counts,
    List<Long> deleted,
    List<Long> failed,
    List<Long> pending,
    List<Long> done,
    List<String> resources) {
  /** Settles the workers of a run, in the order in which they ended. */
  static SettleRule of(RunRow run, List<WorkerRow> ended, boolean partitioned) {
    List<Long> deleted = new ArrayList<>();
    List<Long> failed = new ArrayList<>();
    List<Long> pending = new ArrayList<>();
    List<Long> done = new ArrayList<>();
    List<String> resources = new ArrayList<>();
    long idle = 0;
    long failures = 0;
    long millis = 0;
    int inRow = run.failedInRow();
    for (WorkerRow worker : ended) {
      if (worker.role() != WorkerRole.WORK) {
        (worker.succeeded() ? done : failed).add(worker.id());
      } else if (worker.succeeded()) {
        deleted.add(worker.id());
        inRow = 0;
        idle += worker.idle() ? 1 : 0;
        millis += worker.idle() ? 0 : worker.millis();
      } else if (run.stopAs() != null) {
        pending.add(worker.id());
      } else if (partitioned && PartitionedRun.isSplittable(worker.chunk())) {
        deleted.add(worker.id());
        resources.addAll(PartitionedRun.resources(worker.chunk()));
      } else {
        failed.add(worker.id());
        failures++;
        inRow++;
      }
    }
    RunProgress counts =
        new RunProgress(deleted.size(), idle, failures, inRow, millis, resources.size());
    return new SettleRule(counts, deleted, failed, pending, done, resources);
  }

  /**
   * Progress of ended workers, to be added to their run.
   *
   * @param done workers that succeeded
   * @param idle of these, workers that found nothing to do
   * @param failed workers that failed permanently
   * @param failedInRow failures since the last success, including earlier ones
   * @param workerMillis total time of the successful workers that found work
   * @param more additional chunks
   */
  record RunProgress(
      long done, long idle, long failed, int failedInRow, long workerMillis, long more) {
    /** The run with this progress added. */
    public RunRow addedTo(RunRow run) {
      return run.with(
          copy ->
              copy.total(run.total() + more)
                  .done(run.done() + done)
                  .idle(run.idle() + idle)
                  .failed(run.failed() + failed)
                  .failedInRow(failedInRow)
                  .workerMillis(run.workerMillis() + workerMillis));
    }
  }
}
