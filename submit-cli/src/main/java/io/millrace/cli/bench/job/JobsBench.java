package io.millrace.cli.bench.job;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Table;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.util.ArrayList;
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
      invocation.terminal().note("warming up");
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
    new Evidence(cluster, !plan.noop()).require(round.ids());
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
    invocation
        .terminal()
        .note(
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
}
