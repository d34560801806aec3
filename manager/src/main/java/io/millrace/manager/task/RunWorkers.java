package io.millrace.manager.task;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.partition.PartitionedRun;
import io.millrace.manager.partition.Ring;
import io.millrace.manager.task.TaskWorkerDao.NewWorker;
import io.millrace.manager.task.TaskWorkerDao.WorkerRole;
import io.millrace.manager.task.TaskWorkerDao.WorkerRow;
import io.millrace.manager.task.TaskWorkerDao.WorkerState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Starts the workers of runs in the caller's transaction, which holds the run's lock. */
final class RunWorkers {
  private final TaskStores stores;
  private final JobLedger ledger;
  private final RunChunks chunks;

  RunWorkers(TaskStores stores, JobLedger ledger) {
    this.stores = stores;
    this.ledger = ledger;
    this.chunks = new RunChunks(stores);
  }

  /** A chunk that somebody is to work on; its text is null for work without chunks. */
  private record Piece(long position, String chunk) {}

  /**
   * Starts so many, as far as there is work for them and the definition allows.
   *
   * @param ring of a partitioned task's members
   */
  void start(Handle handle, RunRow run, TaskDefinition task, int wanted, Ring ring) {
    int live = stores.workers().count(handle, run.id(), WorkerRole.WORK, WorkerState.LIVE);
    int count = Math.min(wanted, task.instances() - live);
    if (count <= 0) {
      return;
    }
    List<Piece> pieces = new ArrayList<>(again(handle, run, count));
    pieces.addAll(fresh(handle, run, task, count - pieces.size()));
    List<JobSpec> specs =
        pieces.stream().map(piece -> worker(run, task, piece.chunk(), ring)).toList();
    if (specs.isEmpty()) {
      return;
    }
    List<Long> jobs = ledger.submit(handle, JobKind.SUBMITTED, TaskSpecs.owner(run.task()), specs);
    List<NewWorker> rows = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      Piece piece = pieces.get(i);
      rows.add(new NewWorker(WorkerRole.WORK, piece.position(), piece.chunk(), jobs.get(i)));
    }
    stores.workers().insert(handle, run.id(), rows);
  }

  private static JobSpec worker(RunRow run, TaskDefinition task, String chunk, Ring ring) {
    JobSpec plain = TaskSpecs.worker(task, run.id(), run.plannedAt(), chunk);
    if (task.partition() == null) {
      return plain;
    }
    Instant ends = PartitionedRun.ends(run.plannedAt(), run.startedAt(), task.schedule().every());
    return PartitionedRun.worker(plain, chunk, ring, ends);
  }

  private List<Piece> again(Handle handle, RunRow run, int count) {
    List<WorkerRow> pending = stores.workers().pending(handle, run.id(), count);
    stores.workers().delete(handle, pending.stream().map(WorkerRow::id).toList());
    return pending.stream().map(row -> new Piece(row.position(), row.chunk())).toList();
  }

  private List<Piece> fresh(Handle handle, RunRow run, TaskDefinition task, int count) {
    if (count <= 0) {
      return List.of();
    }
    long from = run.nextChunk();
    List<Piece> pieces = new ArrayList<>();
    if (task.untilDone()) {
      for (int i = 0; i < count; i++) {
        pieces.add(new Piece(from + i, null));
      }
      stores.runs().advance(handle, run.id(), from + count, from + count);
      return pieces;
    }
    for (String chunk : chunks.texts(handle, run, task, count)) {
      pieces.add(new Piece(from + pieces.size(), chunk));
    }
    stores.runs().advance(handle, run.id(), from + pieces.size(), run.total());
    return pieces;
  }
}
