package io.millrace.cli.bench;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.LogStream;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Runs the benchmark of single starts and prints it. The process tells its start itself; it, the
 * client and all servers read the wall clock of this machine.
 */
final class StartDelayBench {
  private static final String NOOP = "noop";
  private static final List<String> CLOCK = List.of("date", "+%s%N");
  private static final long MICRO = 1_000;
  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final int DIGITS = 3;
  private static final int WARM_UP = 20;
  private static final int LONGEST_PAUSE_MILLIS = 50;

  private final Invocation invocation;
  private final JobsBenchPlan plan;
  private final Clock clock;
  private final Waiter waiter = new Waiter();
  // Pauses that are no multiple of anything; the same in every run.
  private final Random pauses = new Random(1);

  StartDelayBench(Invocation invocation, JobsBenchPlan plan) {
    this.invocation = invocation;
    this.plan = plan;
    this.clock = invocation.clock();
  }

  /** Whether everything was measured. */
  boolean run() throws IOException, InterruptedException {
    try (JobsCluster cluster = JobsCluster.start(plan, clock);
        SupervisedReference supervised = new SupervisedReference(cluster.folder(), 1, clock)) {
      List<CentralClient> clients =
          IntStream.range(0, cluster.managers()).mapToObj(cluster::client).toList();
      invocation.note("warming up");
      for (int i = 0; i < WARM_UP; i++) {
        submitted(clients.get(i % clients.size()));
        alone(supervised);
      }
      Histogram jobs = new Histogram(LONGEST.toNanos() / MICRO, DIGITS);
      Histogram reference = new Histogram(LONGEST.toNanos() / MICRO, DIGITS);
      for (int i = 0; i < plan.jobs(); i++) {
        waiter.await(Duration.ofMillis(1 + pauses.nextInt(LONGEST_PAUSE_MILLIS)));
        reference.recordValue(alone(supervised));
        jobs.recordValue(submitted(clients.get(i % clients.size())));
      }
      print(result(jobs, reference));
      return true;
    }
  }

  /** Microseconds from before the submission to the start. */
  private long submitted(CentralClient client) throws IOException {
    JobSpec spec = plan.noop() ? JobDraft.program(NOOP).spec() : JobDraft.command(CLOCK).spec();
    Instant before = clock.now();
    long id = client.submit(spec).id();
    JobView job = client.await(id, LONGEST);
    if (job.state() != JobState.SUCCEEDED) {
      throw new MillraceException(
          ErrorCode.INTERNAL, "job " + id + " is " + job.state() + ": " + job.reason());
    }
    return micros(before, plan.noop() ? job.startedAt() : told(client, id));
  }

  private static Instant told(CentralClient client, long id) throws IOException {
    try (InputStream log = client.logs(id, 0, "stdout", 0, false)) {
      return instant(new String(log.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  private long alone(SupervisedReference supervised) throws IOException {
    Instant before = clock.now();
    AttemptDirectory files = supervised.run(CLOCK);
    return micros(before, instant(Files.readString(files.output(LogStream.STDOUT))));
  }

  private static Instant instant(String nanos) {
    return Instant.EPOCH.plusNanos(Long.parseLong(nanos.strip()));
  }

  // Never below zero, though the database's time of a built-in program's start is rounded.
  private static long micros(Instant from, Instant to) {
    return Math.max(0, Duration.between(from, to).toNanos() / MICRO);
  }

  private StartDelayResult result(Histogram jobs, Histogram reference) {
    return new StartDelayResult(
        plan.jobs(),
        plan.store(),
        plan.managers(),
        plan.noop() ? NOOP : String.join(" ", CLOCK),
        millis(jobs.getValueAtPercentile(50)),
        millis(jobs.getValueAtPercentile(99)),
        millis(jobs.getMaxValue()),
        millis(reference.getValueAtPercentile(50)),
        millis(reference.getValueAtPercentile(99)));
  }

  private static double millis(long micros) {
    return Math.round(micros / 10.0) / 100.0;
  }

  private void print(StartDelayResult result) {
    if (invocation.json()) {
      invocation.terminal().json(result);
      return;
    }
    Table table =
        new Table(
            Column.left("PROGRAM"),
            Column.right("JOBS"),
            Column.left("STORE"),
            Column.right("MANAGERS"),
            Column.right("START P50 MS"),
            Column.right("P99 MS"),
            Column.right("MAX MS"),
            Column.right("SUPERVISED P50 MS"),
            Column.right("P99 MS"));
    table.row(
        result.program(),
        result.jobs(),
        result.store(),
        result.managers(),
        String.valueOf(result.startP50Millis()),
        String.valueOf(result.startP99Millis()),
        String.valueOf(result.startMaxMillis()),
        String.valueOf(result.supervisedP50Millis()),
        String.valueOf(result.supervisedP99Millis()));
    invocation.print(table, "nothing was measured");
  }

  /**
   * What was measured; the fields are those of {@code --json}. All delays in milliseconds.
   *
   * @param jobs submitted one after another
   * @param store {@code h2} or {@code mysql}
   * @param managers central managers, each submitted to in turn
   * @param program what a job ran
   * @param startP50Millis from before the submission until the process reads the time; of a
   *     built-in program, until the recorded start
   * @param startP99Millis 99th percentile
   * @param startMaxMillis the longest
   * @param supervisedP50Millis from before the start until the process reads the time, without the
   *     platform
   * @param supervisedP99Millis 99th percentile
   */
  private record StartDelayResult(
      int jobs,
      String store,
      int managers,
      String program,
      double startP50Millis,
      double startP99Millis,
      double startMaxMillis,
      double supervisedP50Millis,
      double supervisedP99Millis) {}
}
