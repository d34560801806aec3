package io.millrace.bench.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.node.NodeCommand;
import io.millrace.bench.process.Rate;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * Measures jobs per second from submission to recorded end, next to reference measurements of the
 * same run. Not thread-safe.
 */
public final class JobsBench {
  private static final String COMMAND = "/bin/true";
  private static final String NOOP = "noop";
  private static final int MAX_REFERENCE_STARTS = 2_000;
  private static final int MAX_WARM_UP_JOBS = 10_000;

  private final JobsBenchPlan plan;
  private final Clock clock;
  private final Consumer<String> progress;
  private final JobSpec spec;

  /**
   * A benchmark that has not started.
   *
   * @param progress receives a line for each step
   */
  public JobsBench(JobsBenchPlan plan, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
    this.spec = plan.noop() ? JobDraft.program(NOOP).spec() : JobDraft.command(COMMAND).spec();
  }

  /**
   * Runs it; blocks for minutes.
   *
   * @throws MillraceException INTERNAL when a job did not leave all of its records
   */
  public Result run() throws IOException, InterruptedException {
    try (JobsCluster cluster = JobsCluster.start(plan, clock);
        SupervisedReference supervised =
            new SupervisedReference(cluster.folder(), plan.atATime(), clock)) {
      NativeReference xargs = new NativeReference(cluster.folder(), plan.atATime(), clock);
      Backlog backlog = new Backlog(cluster, plan.backlog());
      progress.accept("warming up");
      once(cluster, backlog, supervised, xargs, Math.min(plan.jobs(), MAX_WARM_UP_JOBS));
      List<Result.Run> runs = new ArrayList<>();
      for (int number = 1; number <= plan.runs(); number++) {
        Result.Run run = once(cluster, backlog, supervised, xargs, plan.jobs());
        runs.add(run);
        progress.accept(line(number, run));
      }
      return result(runs);
    }
  }

  private Result.Run once(
      JobsCluster cluster,
      Backlog backlog,
      SupervisedReference supervised,
      NativeReference xargs,
      int jobs)
      throws IOException, InterruptedException {
    backlog.fill(spec, clock);
    int starts = Math.min(plan.jobs(), MAX_REFERENCE_STARTS);
    double xargsRate = xargs.perSecond(starts);
    double supervisedRate = supervised.perSecond(List.of(COMMAND), starts);
    JobRound round = new JobRound(cluster, spec, clock);
    double rate = round.perSecond(jobs, backlog::release);
    new RecordCheck(cluster, !plan.noop()).require(round.ids());
    return Result.Run.of(rate, supervisedRate, xargsRate);
  }

  private Result result(List<Result.Run> runs) {
    return new Result(
        plan.jobs(),
        median(runs, Result.Run::jobsPerSecond),
        median(runs, Result.Run::supervisedReferencePerSecond),
        median(runs, Result.Run::xargsReferencePerSecond),
        plan.backlog(),
        plan.store(),
        plan.managers(),
        median(runs, Result.Run::ratio),
        plan.noop() ? NOOP : COMMAND,
        plan.nodes(),
        plan.slots(),
        plan.atATime(),
        runs);
  }

  private static double median(List<Result.Run> runs, ToDoubleFunction<Result.Run> figure) {
    double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
    return sorted[sorted.length / 2];
  }

  private static String line(int number, Result.Run run) {
    return String.format(
        Locale.ROOT,
        "run %d: %,.0f jobs/s, supervised reference %,.0f, xargs %,.0f",
        number,
        run.jobsPerSecond(),
        run.supervisedReferencePerSecond(),
        run.xargsReferencePerSecond());
  }

  /**
   * The outcome; the components are the fields of {@code --json}. Rates are medians of the runs.
   *
   * @param jobs number of jobs in each run
   * @param jobsPerSecond from before the first submission until the last end is recorded
   * @param supervisedReferencePerSecond processes under the same supervisor without the platform
   * @param xargsReferencePerSecond processes started by xargs
   * @param backlog further jobs that were waiting during the runs
   * @param store {@code h2} or {@code mysql}
   * @param managers number of central managers
   * @param ratio of the jobs to the supervised reference of the same run
   * @param program command or built-in program of the jobs
   * @param nodes number of execution nodes
   * @param slots of each execution node
   * @param referenceAtATime concurrent processes of the references
   * @param runs all of them, in order
   */
  public record Result(
      int jobs,
      double jobsPerSecond,
      double supervisedReferencePerSecond,
      double xargsReferencePerSecond,
      int backlog,
      String store,
      int managers,
      double ratio,
      String program,
      int nodes,
      int slots,
      int referenceAtATime,
      List<Run> runs) {

    /** One run with its references. */
    public record Run(
        double jobsPerSecond,
        double supervisedReferencePerSecond,
        double xargsReferencePerSecond,
        double ratio) {
      static Run of(double jobs, double supervised, double xargs) {
        return new Run(
            tenths(jobs), tenths(supervised), tenths(xargs), hundredths(jobs / supervised));
      }

      private static double tenths(double value) {
        return Math.round(value * 10) / 10.0;
      }

      private static double hundredths(double value) {
        return Math.round(value * 100) / 100.0;
      }
    }
  }

  /**
   * Jobs that wait behind the measured ones: the same command, lower priority. The nodes are
   * drained between the runs, so that they do not work it off.
   */
  private static final class Backlog {
    private static final int PRIORITY = -1_000;
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
    private static final int MAX_POLLS = 3_000;

    private final JobsCluster cluster;
    private final CentralClient central;
    private final int size;

    Backlog(JobsCluster cluster, int size) {
      this.cluster = cluster;
      this.central = cluster.client(0);
      this.size = size;
    }

    /** Submits the missing part of it while no node takes jobs. */
    void fill(JobSpec spec, Clock clock) throws InterruptedException {
      if (size > 0) {
        hold();
        int missing = (int) Math.max(0, size - cluster.records().waiting());
        new JobRound(cluster, spec.draft().priority(PRIORITY).spec(), clock).submitUntil(missing);
      }
    }

    /** Lets the nodes take jobs. */
    void release() {
      if (size > 0) {
        cluster.nodes().names().forEach(central::undrainExecution);
      }
    }

    private void hold() throws InterruptedException {
      cluster
          .nodes()
          .names()
          .forEach(node -> central.drainExecution(node, new NodeCommand(null, "between two runs")));
      Waiter waiter = new Waiter();
      for (int polls = 0; cluster.records().live() > 0; polls++) {
        if (polls == MAX_POLLS) {
          throw new MillraceException(ErrorCode.TIMEOUT, "a drained node is still running jobs");
        }
        waiter.await(POLL_INTERVAL);
      }
    }
  }

  /** Processes per second that xargs starts on this machine. */
  private static final class NativeReference {
    private final Path folder;
    private final int atATime;
    private final Clock clock;

    NativeReference(Path folder, int atATime, Clock clock) {
      this.folder = folder;
      this.atATime = atATime;
      this.clock = clock;
    }

    double perSecond(int starts) throws IOException, InterruptedException {
      Path lines = folder.resolve("xargs-lines");
      Files.write(lines, Collections.nCopies(starts, "x"));
      return Rate.perSecond(clock, starts, () -> start(lines));
    }

    private void start(Path lines) throws IOException, InterruptedException {
      int exit =
          new ProcessBuilder(List.of("xargs", "-P" + atATime, "-n1", "/bin/true"))
              .redirectInput(lines.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor();
      if (exit != 0) {
        throw new MillraceException(ErrorCode.INTERNAL, "xargs ended with exit code " + exit);
      }
    }
  }
}
