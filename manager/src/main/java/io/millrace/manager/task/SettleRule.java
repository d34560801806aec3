package io.millrace.manager.task;

import io.millrace.manager.partition.PartitionedRun;
import io.millrace.manager.task.TaskWorkerDao.WorkerRole;
import io.millrace.manager.task.TaskWorkerDao.WorkerRow;
import java.util.ArrayList;
import java.util.List;

/**
 * What becomes of workers that ended: pure.
 *
 * @param counts what is to be added to the run
 * @param deleted rows of workers that succeeded: they are only counted
 * @param failed rows of workers that failed for good
 * @param pending rows of workers that were stopped with their run: their chunk is left over
 * @param done rows of steps that succeeded
 * @param apart resources of a partitioned task whose batch failed: each is a chunk of its own now,
 *     and the batch is done with
 */
record SettleRule(
    RunProgress counts,
    List<Long> deleted,
    List<Long> failed,
    List<Long> pending,
    List<Long> done,
    List<String> resources) {
  /** Settles the workers of a run, in the order of their ends. */
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
      } else if (partitioned && PartitionedRun.comesApart(worker.chunk())) {
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
   * What ended workers came to, to be added to their run.
   *
   * @param done workers that succeeded
   * @param idle of these, workers that found nothing to do
   * @param failed workers that failed for good
   * @param failedInRow failures since the last success, those before included
   * @param workerMillis what the successful ones that found work took together
   * @param more chunks that there are now besides
   */
  record RunProgress(
      long done, long idle, long failed, int failedInRow, long workerMillis, long more) {
    /** Adds it to a run as it is kept. */
    public RunRow addedTo(RunRow run) {
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
}
