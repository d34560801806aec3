package io.millrace.bench.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
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
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Measures the delay of single starts on an idle cluster. Each process reports its own start; it,
 * the client and all servers read the wall clock of this machine. Not thread-safe.
 */
public final class StartDelayBench {
  private static final String NOOP = "noop";
  private static final List<String> PRINT_TIME = List.of("date", "+%s%N");
  private static final long MICRO = 1_000;
  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final int DIGITS = 3;
  private static final int WARM_UP_STARTS = 20;
  private static final int MAX_PAUSE_MILLIS = 50;

  private final JobsBenchPlan plan;
  private final Clock clock;
  private final Consumer<String> progress;
  private final Waiter waiter = new Waiter();
  // Irregular pauses, the same in every run.
  private final Random pauses = new Random(1);

  /**
   * A benchmark that has not started.
   *
   * @param progress receives a line for each step
   */
  public StartDelayBench(JobsBenchPlan plan, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
  }

  /** Runs it; blocks until the last job has ended. */
  public Result run() throws IOException, InterruptedException {
    try (JobsCluster cluster = JobsCluster.start(plan, clock);
        SupervisedReference supervised = new SupervisedReference(cluster.folder(), 1, clock)) {
      List<CentralClient> clients =
          IntStream.range(0, cluster.managers()).mapToObj(cluster::client).toList();
      progress.accept("warming up");
      for (int i = 0; i < WARM_UP_STARTS; i++) {
        jobStart(clients.get(i % clients.size()));
        referenceStart(supervised);
      }
      Histogram jobs = new Histogram(LONGEST.toNanos() / MICRO, DIGITS);
      Histogram reference = new Histogram(LONGEST.toNanos() / MICRO, DIGITS);
      for (int i = 0; i < plan.jobs(); i++) {
        waiter.await(Duration.ofMillis(1 + pauses.nextInt(MAX_PAUSE_MILLIS)));
        reference.recordValue(referenceStart(supervised));
        jobs.recordValue(jobStart(clients.get(i % clients.size())));
      }
      return result(jobs, reference);
    }
  }

  /** Microseconds from before the submission to the start. */
  private long jobStart(CentralClient client) throws IOException {
    JobSpec spec =
        plan.noop() ? JobDraft.program(NOOP).spec() : JobDraft.command(PRINT_TIME).spec();
    Instant before = clock.now();
    long id = client.submit(spec).id();
    JobView job = client.await(id, LONGEST);
    if (job.state() != JobState.SUCCEEDED) {
      throw new MillraceException(
          ErrorCode.INTERNAL,
          "job %d is %s: %s".formatted(id, MessageText.of(job.state()), job.reason()));
    }
    return micros(before, plan.noop() ? job.startedAt() : reportedStart(client, id));
  }

  private static Instant reportedStart(CentralClient client, long id) throws IOException {
    try (InputStream log = client.logs(id, 0, "stdout", 0, false)) {
      return instant(new String(log.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  private long referenceStart(SupervisedReference supervised) throws IOException {
    Instant before = clock.now();
    AttemptDirectory files = supervised.run(PRINT_TIME);
    return micros(before, instant(Files.readString(files.output(LogStream.STDOUT))));
  }

  private static Instant instant(String nanos) {
    return Instant.EPOCH.plusNanos(Long.parseLong(nanos.strip()));
  }

  // Never negative, although the database rounds the start time of built-in programs.
  private static long micros(Instant from, Instant to) {
    return Math.max(0, Duration.between(from, to).toNanos() / MICRO);
  }

  private Result result(Histogram jobs, Histogram reference) {
    return new Result(
        plan.jobs(),
        plan.store(),
        plan.managers(),
        plan.noop() ? NOOP : String.join(" ", PRINT_TIME),
        millis(jobs.getValueAtPercentile(50)),
        millis(jobs.getValueAtPercentile(99)),
        millis(jobs.getMaxValue()),
        millis(reference.getValueAtPercentile(50)),
        millis(reference.getValueAtPercentile(99)));
  }

  private static double millis(long micros) {
    return Math.round(micros / 10.0) / 100.0;
  }

  /**
   * The outcome; the components are the fields of {@code --json}. All delays in milliseconds.
   *
   * @param jobs submitted one after another
   * @param store {@code h2} or {@code mysql}
   * @param managers number of central managers, which receive jobs in turn
   * @param program command or built-in program of the jobs
   * @param startP50Millis from before the submission until the process reads the time; of a
   *     built-in program, until the recorded start
   * @param startP99Millis 99th percentile
   * @param startMaxMillis maximum
   * @param supervisedP50Millis from before the start until the process reads the time, without the
   *     platform
   * @param supervisedP99Millis 99th percentile
   */
  public record Result(
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
