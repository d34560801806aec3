package io.millrace.cli.bench;

import io.millrace.bench.job.JobsBench;
import io.millrace.bench.job.JobsBenchPlan;
import io.millrace.bench.job.StartDelayBench;
import io.millrace.bench.job.StepChainBench;
import io.millrace.bench.job.WorkflowsBench;
import io.millrace.bench.queue.BacklogBench;
import io.millrace.bench.queue.BalanceBench;
import io.millrace.bench.queue.ManagersBench;
import io.millrace.bench.queue.PutsBench;
import io.millrace.bench.queue.QueueBench;
import io.millrace.bench.queue.QueueNodeCluster.ClusterShape;
import io.millrace.cli.chart.BalanceChart;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Runs a benchmark with the options of its command and prints its result. */
final class BenchRunner {
  private static final double HALF_A_PROCESSOR = 0.5;
  private static final String NO_ROWS = "nothing was measured";

  private final Invocation invocation;
  private final Clock clock;
  private final Consumer<String> progress;

  BenchRunner(Invocation invocation) {
    this.invocation = invocation;
    this.clock = invocation.clock();
    this.progress = invocation::note;
  }

  ExitCode queue(BenchOptions.Queue options) throws IOException, InterruptedException {
    options.check();
    QueueBench.Plan plan =
        new QueueBench.Plan(
            options.batches,
            options.events,
            options.runs,
            options.producers,
            options.consumers,
            shape(options.nodes, options.node));
    List<QueueBench.Result> results =
        new QueueBench(plan, clock, progress)
            .run(
                result -> {
                  if (invocation.json()) {
                    invocation.terminal().json(result);
                  }
                });
    if (!invocation.json()) {
      print(results);
    }
    return exitCode(results.stream().allMatch(result -> result.lost() == 0));
  }

  private void print(List<QueueBench.Result> results) {
    Table table =
        new Table(
            Column.right("BATCH"),
            Column.right("PUT/S"),
            Column.right("LEASE+ACK/S"),
            Column.right("END TO END/S"),
            Column.right("P50 MS"),
            Column.right("P99 MS"),
            Column.right("FORCED WRITES/S"),
            Column.right("EVENTS"),
            Column.right("LOST"));
    for (QueueBench.Result result : results) {
      table.row(
          result.batch(),
          result.putPerSecond(),
          result.leaseAckPerSecond(),
          result.endToEndPerSecond(),
          String.valueOf(result.p50Millis()),
          String.valueOf(result.p99Millis()),
          result.forcedWritesPerSecond(),
          result.events(),
          result.lost());
    }
    invocation.print(table, NO_ROWS);
  }

  ExitCode puts(BenchOptions.PutsOptions options) throws IOException, InterruptedException {
    options.check();
    PutsBench.Plan plan =
        new PutsBench.Plan(
            options.rate,
            options.seconds,
            options.newConnections,
            options.producers,
            shape(1, options.node));
    PutsBench.Result result = new PutsBench(plan, clock, progress).run();
    invocation.list(result, () -> table(result), NO_ROWS);
    return exitCode(result.failed() == 0);
  }

  private static Table table(PutsBench.Result result) {
    Table table =
        new Table(
            Column.right("PUTS ASKED/S"),
            Column.right("PUT/S"),
            Column.right("P50 MS"),
            Column.right("P99 MS"),
            Column.right("MAX MS"),
            Column.right("FAILED"),
            Column.right("FORCED WRITES/S"));
    table.row(
        result.rate(),
        result.putPerSecond(),
        String.valueOf(result.p50Millis()),
        String.valueOf(result.p99Millis()),
        String.valueOf(result.maxMillis()),
        result.failed(),
        result.forcedWritesPerSecond());
    return table;
  }

  ExitCode backlog(BenchOptions.Backlog options) throws IOException, InterruptedException {
    options.check();
    BacklogBench.Plan plan =
        new BacklogBench.Plan(
            options.events, options.batch, options.producers, shape(1, options.node));
    BacklogBench.Result result = new BacklogBench(plan, clock, progress).run();
    invocation.list(result, () -> table(result), NO_ROWS);
    return ExitCode.OK;
  }

  private static Table table(BacklogBench.Result result) {
    Table table =
        new Table(
            Column.right("WAITING"),
            Column.right("HEAP MAX MB"),
            Column.right("LIVE MB"),
            Column.right("LIVE MB EMPTY"),
            Column.right("PUT/S EMPTY"),
            Column.right("PUT/S FULL"),
            Column.right("RATIO"));
    table.row(
        result.events(),
        result.maxHeapMegabytes(),
        result.liveHeapMegabytes(),
        result.emptyHeapMegabytes(),
        result.emptyPutPerSecond(),
        result.fullPutPerSecond(),
        String.valueOf(result.ratio()));
    return table;
  }

  private static ClusterShape shape(int nodes, BenchOptions.NodesOptions options) {
    return new ClusterShape(
        nodes, options.payload, options.durability.name(), options.heap, options.folder);
  }

  ExitCode balance(BenchOptions.Balance options) throws IOException, InterruptedException {
    options.check();
    BalanceBench bench =
        new BalanceBench(
            new BalanceBench.Plan(options.low, options.high, options.phase, options.delay),
            clock,
            progress);
    BalanceBench.Result result = bench.run();
    if (options.svg != null) {
      Files.writeString(options.svg, BalanceChart.of(bench.samples()));
    }
    invocation.answer(result, () -> print(result));
    return exitCode(result.passed());
  }

  private void print(BalanceBench.Result result) {
    result.decisions().forEach(decision -> invocation.line("  " + decision));
    invocation.line(
        String.format(
            Locale.ROOT,
            "%s; used nodes: %d at the peak, %d at the end; %d moves of %d points;"
                + " %d events acknowledged, %d lost",
            tooBusy(result),
            result.usedAtPeak(),
            result.usedAtEnd(),
            result.moves(),
            result.pointsMoved(),
            result.putsAcknowledged(),
            result.lost()));
  }

  private static String tooBusy(BalanceBench.Result result) {
    if (result.tooBusyNodes().isEmpty()) {
      return "no node was TOOBUSY; increase --high or --delay";
    }
    String time =
        result.secondsTooBusy() == null
            ? "the whole peak"
            : Math.round(result.secondsTooBusy()) + " s";
    return "%s TOOBUSY for %s".formatted(String.join(", ", result.tooBusyNodes()), time);
  }

  ExitCode managers(BenchOptions.Managers options) throws IOException, InterruptedException {
    options.check();
    ManagersBench.Result result =
        new ManagersBench(
                new ManagersBench.Plan(options.queues, options.tick, options.time), clock, progress)
            .run();
    invocation.answer(result, () -> print(result));
    return exitCode(
        result.executionNodeCores() < HALF_A_PROCESSOR
            && result.centralManagerCores() < HALF_A_PROCESSOR
            && result.decisionsPerTick() > 0.9 * options.queues);
  }

  private void print(ManagersBench.Result result) {
    invocation.line(
        "%d queue managers made %s decisions per tick"
            .formatted(result.managers(), Figures.rate(result.decisionsPerTick())));
    printCores("execution node", result.executionNodeCores());
    printCores("central manager", result.centralManagerCores());
    printCores("queue node", result.queueNodeCores());
  }

  private void printCores(String role, double cores) {
    invocation.line(String.format(Locale.ROOT, "%-16s %.3f processors", role, cores));
  }

  ExitCode jobs(BenchOptions.Jobs options) throws IOException, InterruptedException {
    options.check();
    JobsBenchPlan plan = plan(options);
    if (options.latency) {
      StartDelayBench.Result result = new StartDelayBench(plan, clock, progress).run();
      invocation.list(result, () -> table(result), NO_ROWS);
    } else {
      JobsBench.Result result = new JobsBench(plan, clock, progress).run();
      invocation.list(result, () -> table(result), NO_ROWS);
    }
    return ExitCode.OK;
  }

  ExitCode workflow(BenchOptions.Workflow options) throws IOException, InterruptedException {
    options.check();
    JobsBenchPlan cluster =
        new JobsBenchPlan(
            options.steps, true, 0, null, 1, options.nodes, options.slots, 1, 1, options.folder);
    if (options.chain) {
      StepChainBench.Result result = new StepChainBench(cluster, clock, progress).run();
      invocation.list(result, () -> table(result), NO_ROWS);
      return ExitCode.OK;
    }
    WorkflowsBench bench =
        new WorkflowsBench(
            new WorkflowsBench.Plan(options.steps, options.single, options.warmUp(), cluster),
            clock,
            progress);
    if (options.bindOnly) {
      WorkflowsBench.BindResult result = bench.bind();
      invocation.list(result, () -> table(result), NO_ROWS);
      return exitCode(result.bound() == result.steps());
    }
    WorkflowsBench.Result result = bench.run();
    invocation.list(result, () -> table(result), NO_ROWS);
    return exitCode(result.orderViolations() == 0 && result.succeeded() == result.steps());
  }

  private static Table table(StepChainBench.Result result) {
    Table table =
        new Table(
            Column.right("STEPS"),
            Column.right("HOP P50 MS"),
            Column.right("HOP P99 MS"),
            Column.right("HOP MAX MS"));
    table.row(result.steps(), result.hopP50Millis(), result.hopP99Millis(), result.hopMaxMillis());
    return table;
  }

  private static Table table(WorkflowsBench.BindResult result) {
    Table table =
        new Table(
            Column.right("STEPS"),
            Column.right("BOUND/S"),
            Column.right("CANCELLED IN S"),
            Column.right("LIVE HEAP MB"),
            Column.right("RESIDENT MB"));
    table.row(
        result.steps(),
        Figures.rate((double) result.bindPerSecond()),
        result.cancelSeconds(),
        result.heapLiveMb(),
        result.residentPeakMb());
    return table;
  }

  private static Table table(WorkflowsBench.Result result) {
    Table table =
        new Table(
            Column.right("STEPS"),
            Column.right("BOUND/S"),
            Column.right("STEPS/S"),
            Column.right("NO-OP JOBS/S"),
            Column.right("RATIO"),
            Column.right("API P99 MS"),
            Column.right("CPU US/STEP"),
            Column.right("LIVE HEAP MB"),
            Column.right("OUT OF ORDER"));
    table.row(
        result.steps(),
        Figures.rate((double) result.bindPerSecond()),
        Figures.rate((double) result.stepsPerSecond()),
        Figures.rate((double) result.noopJobsPerSecond()),
        result.ratio(),
        result.apiP99Millis(),
        result.cpuMicrosPerStep(),
        result.heapLiveMb(),
        result.orderViolations());
    return table;
  }

  private static JobsBenchPlan plan(BenchOptions.Jobs options) {
    JobsBenchPlan.Server server =
        options.database == null
            ? null
            : new JobsBenchPlan.Server(
                options.database, options.user == null ? "" : options.user, options.passwordFile);
    return new JobsBenchPlan(
        options.jobsPerRun(),
        options.noop,
        options.backlog,
        server,
        options.managers,
        options.nodes,
        options.slots,
        options.runs,
        options.referenceProcesses(),
        options.folder);
  }

  private static Table table(JobsBench.Result result) {
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
    return table;
  }

  private static Table table(StartDelayBench.Result result) {
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
    return table;
  }

  private static ExitCode exitCode(boolean passed) {
    return passed ? ExitCode.OK : ExitCode.FAILED;
  }
}
