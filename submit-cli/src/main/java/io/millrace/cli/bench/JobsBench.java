package io.millrace.cli.bench;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.node.NodeCommand;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Runs the benchmark of jobs and prints it. */
final class JobsBench {
  private static final String COMMAND = "/bin/true";
  private static final String NOOP = "noop";
  private static final int MOST_REFERENCE_STARTS = 2_000;
  private static final int MOST_WARM_UP = 10_000;

  private final Invocation invocation;
  private final JobsBenchPlan plan;
  private final Clock clock;
  private final JobSpec spec;

  JobsBench(Invocation invocation, JobsBenchPlan plan) {
    this.invocation = invocation;
    this.plan = plan;
    this.clock = invocation.clock();
    this.spec = plan.noop() ? JobDraft.program(NOOP).spec() : JobDraft.command(COMMAND).spec();
  }

  /** Whether everything was measured; what is missing afterwards is thrown. */
  boolean run() throws IOException, InterruptedException {
    try (JobsCluster cluster = JobsCluster.start(plan, clock);
        SupervisedReference supervised =
            new SupervisedReference(cluster.folder(), plan.atATime(), clock)) {
      NativeReference xargs = new NativeReference(cluster.folder(), plan.atATime(), clock);
      Backlog backlog = new Backlog(cluster, plan.backlog());
      invocation.note("warming up");
      once(cluster, backlog, supervised, xargs, Math.min(plan.jobs(), MOST_WARM_UP));
      List<JobsResult.Run> runs = new ArrayList<>();
      for (int number = 1; number <= plan.runs(); number++) {
        JobsResult.Run run = once(cluster, backlog, supervised, xargs, plan.jobs());
        runs.add(run);
        note(number, run);
      }
      print(result(runs));
      return true;
    }
  }

  private JobsResult.Run once(
      JobsCluster cluster,
      Backlog backlog,
      SupervisedReference supervised,
      NativeReference xargs,
      int jobs)
      throws IOException, InterruptedException {
    backlog.fill(spec, clock);
    int starts = Math.min(plan.jobs(), MOST_REFERENCE_STARTS);
    double xargsRate = xargs.perSecond(starts);
    double supervisedRate = supervised.perSecond(List.of(COMMAND), starts);
    JobRound round = new JobRound(cluster, spec, clock);
    double rate = round.perSecond(jobs, backlog::release);
    new RecordCheck(cluster, !plan.noop()).require(round.ids());
    return JobsResult.Run.of(rate, supervisedRate, xargsRate);
  }

  private JobsResult result(List<JobsResult.Run> runs) {
    return new JobsResult(
        plan.jobs(),
        median(runs, JobsResult.Run::jobsPerSecond),
        median(runs, JobsResult.Run::supervisedReferencePerSecond),
        median(runs, JobsResult.Run::xargsReferencePerSecond),
        plan.backlog(),
        plan.store(),
        plan.managers(),
        median(runs, JobsResult.Run::ratio),
        plan.noop() ? NOOP : COMMAND,
        plan.nodes(),
        plan.slots(),
        plan.atATime(),
        runs);
  }

  private static double median(List<JobsResult.Run> runs, ToDoubleFunction<JobsResult.Run> figure) {
    double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
    return sorted[sorted.length / 2];
  }

  private void note(int number, JobsResult.Run run) {
    invocation.note(
        "run "
            + number
            + ": "
            + Figures.rate(run.jobsPerSecond())
            + " jobs/s, supervised reference "
            + Figures.rate(run.supervisedReferencePerSecond())
            + ", xargs "
            + Figures.rate(run.xargsReferencePerSecond()));
  }

  private void print(JobsResult result) {
    if (invocation.json()) {
      invocation.terminal().json(result);
      return;
    }
    Table table =
        new Table(
            Column.left("PROGRAM"),
            Column.right("JOBS"),
            Column.right("BACKLOG"),
            Column.left("STORE"),
            Column.right("MANAGERS"),
            Column.right("JOBS/S"),
            Column.right("SUPERVISED/S"),
            Column.right("XARGS/S"),
            Column.right("RATIO"));
    table.row(
        result.program(),
        result.jobs(),
        result.backlog(),
        result.store(),
        result.managers(),
        Figures.rate(result.jobsPerSecond()),
        Figures.rate(result.supervisedReferencePerSecond()),
        Figures.rate(result.xargsReferencePerSecond()),
        String.valueOf(result.ratio()));
    invocation.print(table, "nothing was measured");
  }

  /**
   * What was measured; the fields are those of {@code --json}. Rates are medians of the runs.
   *
   * @param jobs of each run
   * @param jobsPerSecond from before the first submission until the last end is recorded
   * @param supervisedReferencePerSecond processes under the same supervisor without the platform
   * @param xargsReferencePerSecond processes started by xargs
   * @param backlog further jobs that waited meanwhile
   * @param store {@code h2} or {@code mysql}
   * @param managers central managers
   * @param ratio of the jobs to the supervised reference of the same run
   * @param program what a job ran
   * @param nodes execution nodes
   * @param slots of each
   * @param referenceAtATime processes of the references at a time
   * @param runs all of them, in order
   */
  private record JobsResult(
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
    record Run(
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
   * Jobs that wait behind the measured ones: alike, but of lower priority. Between the runs the
   * nodes are drained, or they would work it off.
   */
  private static final class Backlog {
    private static final int PRIORITY = -1_000;
    private static final Duration LOOK = Duration.ofMillis(20);
    private static final int LOOKS = 3_000;

    private final JobsCluster cluster;
    private final CentralClient central;
    private final int size;

    Backlog(JobsCluster cluster, int size) {
      this.cluster = cluster;
      this.central = cluster.client(0);
      this.size = size;
    }

    /** Submits what is missing of it, while no node takes anything. */
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
      for (int looks = 0; cluster.records().live() > 0; looks++) {
        if (looks == LOOKS) {
          throw new MillraceException(ErrorCode.TIMEOUT, "a drained node still runs jobs");
        }
        waiter.await(LOOK);
      }
    }
  }

  /** How many processes this machine starts in a second when xargs does it. */
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
