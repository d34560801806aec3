package io.millrace.cli.bench;

import io.millrace.bench.queue.QueueNodeCluster.ClusterShape;
import io.millrace.bench.session.OpenSessionsBench;
import io.millrace.bench.session.SessionOverloadBench;
import io.millrace.bench.session.SessionReplayBench;
import io.millrace.bench.session.SessionsBench;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.util.Locale;
import java.util.function.Consumer;

/** Runs the benchmark of sessions that its options ask for, and prints the result. */
final class SessionBenchRunner {
  private static final String NO_ROWS = "nothing was measured";

  private final Invocation invocation;
  private final Clock clock;
  private final Consumer<String> progress;

  SessionBenchRunner(Invocation invocation) {
    this.invocation = invocation;
    this.clock = invocation.clock();
    this.progress = invocation::note;
  }

  ExitCode session(SessionBenchOptions options) throws IOException, InterruptedException {
    options.check();
    if (options.open != null) {
      return open(options);
    }
    if (options.overload) {
      return overload(options);
    }
    if (options.from != null) {
      return replay(options);
    }
    SessionsBench.Plan plan =
        new SessionsBench.Plan(
            options.sessions(),
            options.eventsPerSession,
            options.batch,
            options.runs,
            options.producers,
            options.workers,
            options.duplicates,
            shape(options));
    SessionsBench.Result result = new SessionsBench(plan, clock, progress).run();
    invocation.list(result, () -> table(result), NO_ROWS);
    return exitCode(result.passed());
  }

  private static Table table(SessionsBench.Result result) {
    Table table =
        new Table(
            Column.right("EVENTS"),
            Column.right("SESSIONS"),
            Column.right("EVENTS/S"),
            Column.right("QUEUE EVENTS/S"),
            Column.right("RATIO"),
            Column.right("LOST"),
            Column.right("OUT OF ORDER"),
            Column.right("UNFINISHED"),
            Column.right("DUPLICATES"),
            Column.right("REPORTED"));
    table.row(
        result.events(),
        result.sessions(),
        result.eventsPerSecond(),
        result.queueEventsPerSecond(),
        String.valueOf(result.ratio()),
        result.lost(),
        result.orderViolations(),
        result.unfinished(),
        result.duplicatesSent(),
        result.duplicatesReported());
    return table;
  }

  private ExitCode open(SessionBenchOptions options) throws IOException, InterruptedException {
    OpenSessionsBench.Plan plan =
        new OpenSessionsBench.Plan(
            options.open,
            options.eventsOpen,
            options.probes,
            options.batch,
            options.producers,
            options.workers,
            shape(options));
    OpenSessionsBench.Result result = new OpenSessionsBench(plan, clock, progress).run();
    invocation.answer(result, () -> print(result));
    return exitCode(result.passed());
  }

  private void print(OpenSessionsBench.Result result) {
    Table table = new Table(Column.right("OPEN"), Column.right("US/SESSION"));
    result.costs().forEach(cost -> table.row(cost.open(), String.valueOf(cost.microsPerSession())));
    invocation.print(table, NO_ROWS);
    invocation.line(
        String.format(
            Locale.ROOT,
            "%,d sessions with %d workers, opened at %,d/s; heap %d MB of %d MB (%d MB when empty);"
                + " the last cost is %s of the first; %d went wrong",
            result.open(),
            result.workers(),
            result.openedPerSecond(),
            result.liveHeapMegabytes(),
            result.maxHeapMegabytes(),
            result.emptyHeapMegabytes(),
            result.ratio(),
            result.wrong()));
    invocation.line(result.nodeAlive() ? verdict(result.passed()) : "failed: the node has ended");
  }

  private ExitCode overload(SessionBenchOptions options) throws IOException, InterruptedException {
    SessionOverloadBench.Plan plan =
        new SessionOverloadBench.Plan(
            options.sessions(),
            options.eventsPerSession,
            options.cap,
            options.batch,
            options.producers,
            options.workers,
            shape(options));
    SessionOverloadBench.Result result = new SessionOverloadBench(plan, clock, progress).run();
    invocation.answer(result, () -> print(result));
    return exitCode(result.passed());
  }

  private void print(SessionOverloadBench.Result result) {
    invocation.line(
        String.format(
            Locale.ROOT,
            "%s: at most %,d of %,d sessions without a worker in %,d samples; %,d events accepted"
                + " before the workers joined, %,d in the end, %,d answers asked to wait, %,d events"
                + " refused for ever; %,d lost, %,d out of order, %,d sessions unfinished",
            verdict(result.passed()),
            result.mostUnassigned(),
            result.cap(),
            result.samples(),
            result.acceptedBefore(),
            result.events(),
            result.refusals(),
            result.refusedForEver(),
            result.lost(),
            result.orderViolations(),
            result.unfinished()));
  }

  private ExitCode replay(SessionBenchOptions options) throws IOException, InterruptedException {
    SessionReplayBench.Plan plan =
        new SessionReplayBench.Plan(
            options.from,
            options.key,
            options.id,
            options.previous,
            options.timeBetweenKills(),
            options.replayRate(),
            options.batch,
            options.producers,
            options.workers,
            options.duplicates,
            shape(options));
    SessionReplayBench.Result result = new SessionReplayBench(plan, clock, progress).run();
    invocation.answer(result, () -> print(result));
    return exitCode(result.passed());
  }

  private void print(SessionReplayBench.Result result) {
    invocation.line(
        String.format(
            Locale.ROOT,
            "%s: %,d events of %,d sessions; %d workers and %d times the queue node killed, %,d"
                + " hand-overs, %,d late results refused; %,d lost, %,d out of order, %,d sessions"
                + " unfinished, %,d of %,d duplicates reported",
            verdict(result.passed()),
            result.events(),
            result.sessions(),
            result.workersKilled(),
            result.nodesKilled(),
            result.handovers(),
            result.stale(),
            result.lost(),
            result.orderViolations(),
            result.unfinished(),
            result.duplicatesReported(),
            result.duplicatesSent()));
  }

  private static ClusterShape shape(SessionBenchOptions options) {
    return new ClusterShape(
        1,
        options.node.payload,
        options.node.durability.name(),
        options.node.heap,
        options.node.folder);
  }

  private static String verdict(boolean passed) {
    return passed ? "passed" : "failed";
  }

  private static ExitCode exitCode(boolean passed) {
    return passed ? ExitCode.OK : ExitCode.FAILED;
  }
}
