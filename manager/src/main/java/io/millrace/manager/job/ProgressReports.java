package io.millrace.manager.job;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.ReportedProgress;
import io.millrace.api.node.AttemptReport;
import io.millrace.api.node.PollAnswer.ProgressReport;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Records what the programs of attempts report of their progress. Only the newest report of a job
 * is kept, and only of its current attempt. Thread-safe; blocks on the database.
 */
public final class ProgressReports {
  private final Database database;
  private final DatabaseTime time;
  private final ProgramProgressDao store = new ProgramProgressDao();

  public ProgressReports(Database database) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
  }

  /** Records the reports of a node's poll; those of attempts that are not current there are not. */
  public void take(UUID node, List<ProgressReport> reports) {
    if (reports == null || reports.isEmpty()) {
      return;
    }
    // Not in a transaction: a process frozen in it would make the node's next poll wait for its
    // locks, and the single instances of a node whose polls are not answered are stopped.
    database.read(
        handle -> {
          write(handle, node, reports);
          return null;
        });
  }

  private void write(Handle handle, UUID node, List<ProgressReport> reports) {
    Map<AttemptId, ReportedProgress> newest = new LinkedHashMap<>();
    reports.forEach(report -> newest.put(report.attempt(), report.progress()));
    Map<AttemptId, Long> current = store.current(handle, node, newest.keySet());
    Instant now = time.now(handle);
    current.forEach(
        (attempt, array) -> store.write(handle, attempt, array, newest.get(attempt), now));
  }

  /** Records the last report of an attempt that ends, in the transaction of its end. */
  static void ended(Handle handle, JobFacts job, AttemptReport report, Instant now) {
    if (report.progress() == null) {
      return;
    }
    ProgramProgressDao store = new ProgramProgressDao();
    if (job.array() == null) {
      store.write(handle, report.attempt(), 0, report.progress(), now);
    } else {
      // An array may have a million elements, of which only the running ones are summed.
      store.delete(handle, job.id());
    }
  }
}
