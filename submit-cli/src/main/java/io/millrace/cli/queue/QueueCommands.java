package io.millrace.cli.queue;

import io.millrace.api.client.ApiClient.Listing;
import io.millrace.api.event.PeekedEvent;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.api.event.QueueActionAnswer.PurgeRequest;
import io.millrace.api.insight.QueueDetails;
import io.millrace.api.insight.QueueView;
import io.millrace.api.pacing.PacingDecisionView.PacingExplanation;
import io.millrace.api.pacing.PacingOverride;
import io.millrace.api.pacing.PacingOverride.OverrideRequest;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.api.weight.WeightsView;
import io.millrace.cli.definition.QueueTryCommand;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Confirmation;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.job.AttemptOutput;
import io.millrace.cli.job.Sinks;
import io.millrace.cli.node.DecisionTable;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace queue …}: queues and their events. */
@Command(
    name = "queue",
    description = "Shows and controls queues, their events and their dead letters.")
public final class QueueCommands extends CommandGroup {
  private static final int MAX_DECISIONS = 1_000;

  private QueueCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return inOrder(
        new CommandLine(new QueueCommands(invocation))
            .addSubcommand(new SendCommand(invocation))
            .addSubcommand(new HistoryCommand(invocation))
            .addSubcommand(DeadLetterCommands.create(invocation))
            .addSubcommand(new QueueTryCommand(invocation)),
        "list show history send peek dead weights decisions explain set unset pause resume purge logs try");
  }

  @Command(
      name = "list",
      description = "Lists the queues with their backlog and throughput.",
      footer = {"", "Example:", "  millrace queue list"})
  void list() {
    List<QueueView> listed = invocation.central().overview().queues();
    invocation.list(
        listed,
        () -> QueueTables.queues(listed),
        "no queues; define one with 'millrace apply -f FILE'");
  }

  @Command(
      name = "show",
      description =
          "Shows the details of a queue: definition, segments, managers, workers, last failure.",
      footer = {"", "Example:", "  millrace queue show alert"})
  void show(@Parameters(paramLabel = "NAME", description = "Name of the queue.") String name) {
    QueueDetails details = invocation.central().queue(name);
    invocation.show(
        details,
        () -> new QueueDescription(details, invocation.now(), invocation.palette()).lines());
  }

  @Command(
      name = "peek",
      description = "Shows unfinished events of a queue without leasing them.",
      footer = {
        "",
        "Examples:",
        "  millrace queue peek alert",
        "  millrace queue peek alert --state delayed --limit 5 --json"
      })
  void peek(
      @Parameters(paramLabel = "NAME", description = "Name of the queue.") String queue,
      @Option(
              names = "--state",
              paramLabel = "STATE",
              description = "Only events in this state: ready, delayed or leased.")
          String state,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "20",
              description = "Maximum number of rows (default: ${DEFAULT-VALUE}).")
          int limit) {
    Listing<PeekedEvent> listing = invocation.central().peek(queue, limit, state);
    invocation.list(
        listing.found(), () -> QueueTables.events(listing.found()), "no unfinished events");
    noteUnreached(invocation, listing.unreached());
  }

  @Command(
      name = "weights",
      description = "Shows the 1000 weight points of a queue by node, and their history.",
      footer = {
        "",
        "Examples:",
        "  millrace queue weights alert",
        "  millrace queue weights alert --history --minutes 600"
      })
  void weights(
      @Parameters(paramLabel = "NAME", description = "Name of the queue.") String queue,
      @Option(names = "--history", description = "Show all recent versions, newest first.")
          boolean history,
      @Option(
              names = "--minutes",
              paramLabel = "N",
              defaultValue = "60",
              description = "Length of the history in minutes (default: ${DEFAULT-VALUE}).")
          int minutes) {
    WeightsView view = invocation.central().weights(queue, minutes);
    invocation.list(
        view,
        () ->
            history
                ? QueueTables.versions(view.history(), invocation.now())
                : QueueTables.points(view.weights()),
        history
            ? "no changes in the last %d minutes".formatted(minutes)
            : "the queue has no weight on any node yet");
  }

  @Command(
      name = "decisions",
      description = "Lists the balancing decisions that moved weight of a queue, newest first.",
      footer = {"", "Example:", "  millrace queue decisions alert"})
  void decisions(
      @Parameters(paramLabel = "NAME", description = "Name of the queue.") String queue,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "20",
              description = "Maximum number of rows (default: ${DEFAULT-VALUE}).")
          int limit) {
    OptionRefusal.outside("--limit", limit, 1, 1000);
    DecisionTable.print(invocation, invocation.central().balancingDecisions(queue, null, limit));
  }

  @Command(
      name = "explain",
      description = "Explains the number of workers of a queue, with the decisions behind it.",
      footer = {
        "",
        "Examples:",
        "  millrace queue explain alert",
        "  millrace queue explain alert --node q1 --since 10m --limit 50",
        "",
        "Decisions are kept for 30 days; GET /v1/queues/NAME/decisions/export returns all of them."
      })
  void explain(
      @Parameters(paramLabel = "NAME", description = "Name of the queue.") String queue,
      @Option(
              names = "--node",
              paramLabel = "NAME",
              description = "Only the segment on this queue node.")
          String node,
      @Option(
              names = "--since",
              paramLabel = "TIME",
              defaultValue = "1h",
              description = "Period before now (default: ${DEFAULT-VALUE}).")
          Duration since,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "20",
              description = "Maximum number of decisions (default: ${DEFAULT-VALUE}).")
          int limit) {
    OptionRefusal.outside("--limit", limit, 0, MAX_DECISIONS);
    PacingExplanation explanation = invocation.central().explain(queue, node, since, limit);
    invocation.answer(explanation, () -> printExplanation(explanation));
  }

  private void printExplanation(PacingExplanation explanation) {
    invocation.lines(explanation.words().stream().map(Escaping::text).toList());
    if (!explanation.decisions().isEmpty()) {
      invocation.line("");
      invocation.print(QueueTables.decisions(explanation), "");
    }
  }

  @Command(
      name = "set",
      description = "Overrides limits of a queue for a limited time.",
      footer = {
        "",
        "Examples:",
        "  millrace queue set alert --max-workers 80 --for 2h --reason 'month end'",
        "  millrace queue set alert --wait-target 30s --for 1h",
        "",
        "It replaces an earlier override. 'millrace queue unset NAME' removes it early;"
            + " permanent limits",
        "belong in the queue's definition."
      })
  void set(
      @Parameters(paramLabel = "NAME", description = "Name of the queue.") String queue,
      @Option(
              names = "--max-workers",
              paramLabel = "COUNT",
              description = "Maximum number of workers.")
          Integer maxWorkers,
      @Option(
              names = "--wait-target",
              paramLabel = "TIME",
              description = "Target for the waiting time of events (policy demand).")
          Duration waitTarget,
      @Option(
              names = "--for",
              paramLabel = "TIME",
              required = true,
              description = "Duration of the override (required), such as 2h; at most 30d.")
          Duration duration,
      @Option(
              names = "--reason",
              paramLabel = "TEXT",
              description = "Reason, shown to other users.")
          String reason) {
    OverrideRequest request = new OverrideRequest(maxWorkers, waitTarget, duration, reason);
    PacingOverride override = invocation.central().override(queue, request);
    invocation.report(override, queue + ": " + override.words());
  }

  @Command(
      name = "unset",
      description = "Removes an override; the limits of the queue's definition apply again.",
      footer = {"", "Example:", "  millrace queue unset alert"})
  void unset(@Parameters(paramLabel = "NAME", description = "Name of the queue.") String queue) {
    // Ending an override succeeds also if there is none.
    boolean had = invocation.central().queue(queue).queue().override() != null;
    invocation.central().endOverride(queue);
    invocation.report(
        Map.of("queue", queue), queue + (had ? ": override removed" : ": had no override"));
  }

  @Command(
      name = "pause",
      description = "Pauses sending to a queue, consuming from it, or both; no events are lost.",
      footer = {
        "",
        "Examples:",
        "  millrace queue pause alert",
        "  millrace queue pause alert --consuming --reason 'bad deploy'"
      })
  void pause(
      @Parameters(paramLabel = "NAME", description = "Name of the queue.") String queue,
      @Option(names = "--sending", description = "Pause sending only: producers are refused.")
          boolean sending,
      @Option(
              names = "--consuming",
              description = "Pause consuming only: workers receive no events.")
          boolean consuming,
      @Option(
              names = "--reason",
              paramLabel = "TEXT",
              description = "Reason, shown to other users.")
          String reason) {
    PauseRequest request = pauseRequest(sending, consuming, reason);
    QueueControl control = invocation.central().pause(queue, request);
    invocation.report(control, "queue %s: %s".formatted(queue, QueueTables.control(control)));
  }

  @Command(
      name = "resume",
      description = "Resumes a paused queue.",
      footer = {
        "",
        "Examples:",
        "  millrace queue resume alert",
        "  millrace queue resume alert --consuming"
      })
  void resume(
      @Parameters(paramLabel = "NAME", description = "Name of the queue.") String queue,
      @Option(names = "--sending", description = "Resume sending only.") boolean sending,
      @Option(names = "--consuming", description = "Resume consuming only.") boolean consuming) {
    PauseRequest request = pauseRequest(sending, consuming, null);
    // The answer is the state afterwards, which does not tell whether anything has changed.
    QueueControl before = invocation.central().queue(queue).queue().control();
    QueueControl after = invocation.central().resume(queue, request);
    String resumed = QueueTables.resumed(before, request);
    String left = after.paused() ? "; " + QueueTables.control(after) : "";
    invocation.report(after, "queue %s: %s%s".formatted(queue, resumed, left));
  }

  private static PauseRequest pauseRequest(boolean sending, boolean consuming, String reason) {
    // Neither option means both.
    boolean both = sending == consuming;
    return new PauseRequest(both || sending, both || consuming, reason);
  }

  @Command(
      name = "purge",
      description = "Deletes events of a queue, except those that are leased by workers.",
      footer = {
        "",
        "Without --waiting, --delayed or --dead, waiting and delayed events are deleted.",
        "",
        "Examples:",
        "  millrace queue purge alert",
        "  millrace queue purge alert --dead --yes"
      })
  void purge(
      @Parameters(paramLabel = "NAME", description = "Name of the queue.") String queue,
      @Option(names = "--waiting", description = "Purge events that are ready.") boolean waiting,
      @Option(names = "--delayed", description = "Purge events that are not ready yet.")
          boolean delayed,
      @Option(names = "--dead", description = "Purge dead letters.") boolean dead,
      @Option(names = "--yes", description = "Do not ask for confirmation.") boolean yes)
      throws IOException {
    boolean usual = !waiting && !delayed && !dead;
    PurgeRequest request = new PurgeRequest(queue, usual || waiting, usual || delayed, dead);
    if (!yes) {
      new Confirmation(invocation)
          .require(
              "permanently deletes all %s events of queue %s".formatted(kinds(request), queue),
              "the name of the queue",
              queue);
    }
    QueueActionAnswer answer = invocation.central().purge(queue, request);
    report(invocation, answer, " events deleted");
  }

  /** Prints the number of events of an action, and the nodes that it did not reach. */
  static void report(Invocation invocation, QueueActionAnswer answer, String done) {
    invocation.report(answer, Figures.count(answer.events()) + done);
    noteUnreached(invocation, answer.unreached());
  }

  /** Prints which nodes did not answer, if any. */
  static void noteUnreached(Invocation invocation, List<String> nodes) {
    if (!nodes.isEmpty()) {
      String names = Escaping.text(String.join(", ", nodes));
      invocation.note("note: %s did not answer; their events are not included".formatted(names));
    }
  }

  private static String kinds(PurgeRequest request) {
    List<String> kinds = new ArrayList<>();
    if (request.waiting()) {
      kinds.add("waiting");
    }
    if (request.delayed()) {
      kinds.add("delayed");
    }
    if (request.dead()) {
      kinds.add("dead");
    }
    return String.join(" and ", kinds);
  }

  @Command(
      name = "logs",
      description = "Prints the output of the latest worker runs of a queue, oldest first.",
      footer = {
        "",
        "Examples:",
        "  millrace queue logs alert --failed",
        "  millrace queue logs alert -f"
      })
  void logs(
      @Parameters(paramLabel = "NAME", description = "Name of the queue.") String queue,
      @Option(names = "--failed", description = "Only failed runs.") boolean failed,
      @Option(
              names = {"-f", "--follow"},
              description = "Keep printing the output of new runs as they end.")
          boolean follow,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "10",
              description = "Maximum number of runs (default: ${DEFAULT-VALUE}).")
          int limit,
      @Option(names = "--raw", description = "Do not escape control characters on a terminal.")
          boolean raw)
      throws Exception {
    int running = invocation.central().queue(queue).queue().workersRunning();
    AttemptOutput output =
        new AttemptOutput(
            invocation.central(), Sinks.forTerminal(invocation.terminal(), invocation.json(), raw));
    RunLog log = new RunLog(invocation, output, queue, failed);
    if (log.printNew(limit) == 0 && !follow) {
      invocation.note(
          failed
              ? "no failed worker runs"
              : "no worker run has ended yet" + stillRun(queue, running));
    }
    if (follow) {
      log.follow();
    }
  }

  private static String stillRun(String queue, int running) {
    return running == 0
        ? ""
        : "; %s: 'millrace job list --queue %s' shows them, 'millrace job logs ID' their output"
            .formatted(Figures.count(running, "worker") + (running == 1 ? " runs" : " run"), queue);
  }
}
