package io.millrace.manager.dispatch;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.AttemptReport;
import io.millrace.manager.app.CentralTables;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.node.Heartbeat;
import io.millrace.platform.database.Database;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/**
 * Measures how many jobs a second go through submission, placement, start and end with a constant
 * backlog: no processes, no HTTP. Arguments: folder of the database, jobs, backlog, jobs at a time.
 */
public final class DispatchRate {
  private final JobBench bench;
  private final int batch;
  private long submitting;
  private long placing;
  private long reporting;

  private DispatchRate(JobBench bench, int batch) {
    this.bench = bench;
    this.batch = batch;
  }

  public static void main(String[] arguments) {
    Path folder = Path.of(arguments[0]);
    int jobs = Integer.parseInt(arguments[1]);
    int backlog = Integer.parseInt(arguments[2]);
    int batch = Integer.parseInt(arguments[3]);
    try (Database database = CentralTables.in(folder)) {
      JobBench bench =
          new JobBench(database, new Heartbeat(Duration.ofSeconds(2), Duration.ofHours(1)));
      DispatchRate rate = new DispatchRate(bench, batch);
      rate.submit(backlog);
      bench.employ(JobBench.E1, "e1", batch / 2);
      bench.employ(JobBench.E2, "e2", batch / 2);
      rate.run(5 * batch);
      rate.submitting = 0;
      rate.placing = 0;
      rate.reporting = 0;
      Duration before = cpu();
      long nanos = rate.run(jobs);
      rate.print(jobs, backlog, nanos, cpu().minus(before));
    }
  }

  private long run(int jobs) {
    long start = System.nanoTime();
    for (int done = 0; done < jobs; done += batch) {
      long begin = System.nanoTime();
      submit(batch);
      long submitted = System.nanoTime();
      bench.place();
      long placed = System.nanoTime();
      report(JobBench.E1);
      report(JobBench.E2);
      submitting += submitted - begin;
      placing += placed - submitted;
      reporting += System.nanoTime() - placed;
    }
    return System.nanoTime() - start;
  }

  private void submit(int count) {
    for (int done = 0; done < count; done += 1000) {
      int part = Math.min(1000, count - done);
      bench.submit(
          JobKind.SUBMITTED, Collections.nCopies(part, JobBench.command()).toArray(new JobSpec[0]));
    }
  }

  private void report(UUID node) {
    List<AttemptReport> ends =
        bench.recorded(node).stream()
            .map((AttemptId attempt) -> JobBench.ended(attempt, Outcome.SUCCEEDED, 0, 5))
            .toList();
    if (!bench.reports.take(node, ends).isEmpty()) {
      throw new IllegalStateException("a report was refused");
    }
  }

  // On a machine that others use, too, this tells more than the time that passed.
  private static Duration cpu() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private void print(int jobs, int backlog, long nanos, Duration cpu) {
    System.out.printf(
        "jobs=%d backlog=%d batch=%d jobsPerSecond=%.0f submitMicros=%.0f placeMicros=%.0f"
            + " reportMicros=%.0f cpuMicros=%.0f%n",
        jobs,
        backlog,
        batch,
        jobs * 1e9 / nanos,
        submitting / 1e3 / jobs,
        placing / 1e3 / jobs,
        reporting / 1e3 / jobs,
        cpu.toNanos() / 1e3 / jobs);
  }
}
