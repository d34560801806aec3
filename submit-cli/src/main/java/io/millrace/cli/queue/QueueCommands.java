package io.millrace.cli.queue;

import io.millrace.api.client.Listing;
import io.millrace.api.event.PeekedEvent;
import io.millrace.api.event.PurgeRequest;
import io.millrace.api.event.QueueActionAnswer;
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
import io.millrace.cli.invocation.Refusal;
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
    description = "Shows and steers queues, their events and their dead letters.")
public final class QueueCommands extends CommandGroup {
  private static final int MOST = 1_000;

  private QueueCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return inOrder(
        new CommandLine(new QueueCommands(invocation))
            .addSubcommand(new SendCommand(invocation))
            .addSubcommand(DeadLetterCommands.create(invocation))
            .addSubcommand(new QueueTryCommand(invocation)),
        "list show send peek dead weights decisions explain set unset pause resume purge logs try");
  }

  @Command(
      name = "list",
      description = "Lists the queues with what waits, and how fast they are worked on.",
      footer = {"", "Example:", "  millrace queue list"})
  void list() {
    List<QueueView> listed = invocation.central().overview().queues();
    invocation.list(
        listed,
        () -> QueueTables.queues(listed),
        "no queues; define some with 'millrace apply -f FILE'");
  }

  @Command(
      name = "show",
      description =
          "Shows all about a queue: definition, segments, managers, workers, last failure.",
      footer = {"", "Example:", "  millrace queue show alert"})
  void show(@Parameters(paramLabel = "NAME", description = "The queue.") String name) {
    QueueDetails details = invocation.central().queue(name);
    invocation.show(
        details,
        () -> new QueueDescription(details, invocation.now(), invocation.palette()).lines());
  }

  @Command(
      name = "peek",
      description = "Looks at a queue's unfinished events without taking them.",
      footer = {
        "",
        "Examples:",
        "  millrace queue peek alert",
        "  millrace queue peek alert --state delayed --limit 5 --json"
      })
  void peek(
      @Parameters(paramLabel = "NAME", description = "The queue.") String queue,
      @Option(names = "--state", description = "Only ready, delayed or leased ones.") String state,
      @Option(
              names = "--limit",
              defaultValue = "20",
              description = "At most so many (default: ${DEFAULT-VALUE}).")
          int limit) {
    Listing<PeekedEvent> listing = invocation.central().peek(queue, limit, state);
    invocation.list(
        listing.found(), () -> QueueTables.events(listing.found()), "no unfinished events");
    noteUnreached(invocation, listing.unreached());
  }

  @Command(
      name = "weights",
      description = "Shows a queue's 1000 weight points by node, and how they moved.",
      footer = {
        "",
        "Examples:",
        "  millrace queue weights alert",
        "  millrace queue weights alert --history --minutes 600"
      })
  void weights(
      @Parameters(paramLabel = "NAME", description = "The queue.") String queue,
      @Option(names = "--history", description = "Every version of the last while, newest first.")
          boolean history,
      @Option(
              names = "--minutes",
              defaultValue = "60",
              description = "How far back the history goes (default: ${DEFAULT-VALUE}).")
          int minutes) {
    WeightsView view = invocation.central().weights(queue, minutes);
    invocation.list(
        view,
        () ->
            history
                ? QueueTables.versions(view.history(), invocation.now())
                : QueueTables.points(view.weights()),
        history
            ? "no version in the last " + minutes + " minutes"
            : "no queue node holds weight of it yet");
  }

  @Command(
      name = "decisions",
      description = "Lists why a queue's weight moved, newest first.",
      footer = {"", "Example:", "  millrace queue decisions alert"})
  void decisions(
      @Parameters(paramLabel = "NAME", description = "The queue.") String queue,
      @Option(
              names = "--limit",
              defaultValue = "20",
              description = "At most so many (default: ${DEFAULT-VALUE}).")
          int limit) {
    Refusal.outside("--limit", limit, 1, 1000);
    DecisionTable.print(invocation, invocation.central().balancingDecisions(queue, null, limit));
  }

  @Command(
      name = "explain",
      description = "Tells why a queue has as many workers as it has, and the decisions behind it.",
      footer = {
        "",
        "Examples:",
        "  millrace queue explain alert",
        "  millrace queue explain alert --node q1 --since 10m --limit 50",
        "",
        "Decisions are kept for 30 days; GET /v1/queues/NAME/decisions/export writes them all."
      })
  void explain(
      @Parameters(paramLabel = "NAME", description = "The queue.") String queue,
      @Option(
              names = "--node",
              paramLabel = "NAME",
              description = "Only the segment of a queue node.")
          String node,
      @Option(
              names = "--since",
              paramLabel = "TIME",
              defaultValue = "1h",
              description = "How far back (default: ${DEFAULT-VALUE}).")
          Duration since,
      @Option(
              names = "--limit",
              defaultValue = "20",
              description = "At most so many decisions (default: ${DEFAULT-VALUE}).")
          int limit) {
    Refusal.outside("--limit", limit, 0, MOST);
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
      description = "Sets limits of a queue for a while; they go back by themselves.",
      footer = {
        "",
        "Examples:",
        "  millrace queue set alert --max-workers 80 --for 2h --reason 'month end'",
        "  millrace queue set alert --wait-target 30s --for 1h",
        "",
        "It replaces what was set before. 'millrace queue unset NAME' ends it early; what is to stay",
        "belongs in the queue's definition."
      })
  void set(
      @Parameters(paramLabel = "NAME", description = "The queue.") String queue,
      @Option(names = "--max-workers", paramLabel = "COUNT", description = "Workers at the most.")
          Integer maxWorkers,
      @Option(
              names = "--wait-target",
              paramLabel = "TIME",
              description = "How long an event may wait (policy demand).")
          Duration waitTarget,
      @Option(
              names = "--for",
              paramLabel = "TIME",
              required = true,
              description = "How long, such as 2h; at most 30d.")
          Duration duration,
      @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for others to read.")
          String reason) {
    OverrideRequest request = new OverrideRequest(maxWorkers, waitTarget, duration, reason);
    PacingOverride override = invocation.central().override(queue, request);
    invocation.tell(override, queue + ": " + override.words());
  }

  @Command(
      name = "unset",
      description = "Ends what was set for a while: the queue's definition holds again.",
      footer = {"", "Example:", "  millrace queue unset alert"})
  void unset(@Parameters(paramLabel = "NAME", description = "The queue.") String queue) {
    invocation.central().endOverride(queue);
    invocation.tell(Map.of("queue", queue), queue + ": its definition holds");
  }

  @Command(
      name = "pause",
      description = "Stops sending to a queue, consuming from it, or both; nothing is lost.",
      footer = {
        "",
        "Examples:",
        "  millrace queue pause alert",
        "  millrace queue pause alert --consuming --reason 'bad deploy'"
      })
  void pause(
      @Parameters(paramLabel = "NAME", description = "The queue.") String queue,
      @Option(names = "--sending", description = "Only sending: producers are refused.")
          boolean sending,
      @Option(names = "--consuming", description = "Only consuming: workers get nothing.")
          boolean consuming,
      @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for others to read.")
          String reason) {
    PauseRequest request = pauseRequest(sending, consuming, reason);
    tell(queue, invocation.central().pause(queue, request));
  }

  @Command(
      name = "resume",
      description = "Lets a paused queue go on.",
      footer = {
        "",
        "Examples:",
        "  millrace queue resume alert",
        "  millrace queue resume alert --consuming"
      })
  void resume(
      @Parameters(paramLabel = "NAME", description = "The queue.") String queue,
      @Option(names = "--sending", description = "Only sending: producers are welcome again.")
          boolean sending,
      @Option(names = "--consuming", description = "Only consuming: workers get events again.")
          boolean consuming) {
    PauseRequest request = pauseRequest(sending, consuming, null);
    tell(queue, invocation.central().resume(queue, request));
  }

  private static PauseRequest pauseRequest(boolean sending, boolean consuming, String reason) {
    // Naming neither means both.
    boolean both = sending == consuming;
    return new PauseRequest(both || sending, both || consuming, reason);
  }

  private void tell(String queue, QueueControl control) {
    invocation.tell(control, "queue " + queue + ": " + QueueTables.control(control));
  }

  @Command(
      name = "purge",
      description = "Deletes a queue's events; those that workers have in hand stay.",
      footer = {
        "",
        "Without --waiting, --delayed or --dead the waiting and the delayed ones are meant.",
        "",
        "Examples:",
        "  millrace queue purge alert",
        "  millrace queue purge alert --dead --yes"
      })
  void purge(
      @Parameters(paramLabel = "NAME", description = "The queue.") String queue,
      @Option(names = "--waiting", description = "Events that are ready.") boolean waiting,
      @Option(names = "--delayed", description = "Events that are not ready yet.") boolean delayed,
      @Option(names = "--dead", description = "Dead letters.") boolean dead,
      @Option(names = "--yes", description = "Do not ask.") boolean yes)
      throws IOException {
    boolean usual = !waiting && !delayed && !dead;
    PurgeRequest request = new PurgeRequest(queue, usual || waiting, usual || delayed, dead);
    if (!yes) {
      new Confirmation(invocation)
          .require(
              "deletes all " + kinds(request) + " events of queue " + queue + ", for good",
              "the queue's name",
              queue);
    }
    QueueActionAnswer answer = invocation.central().purge(queue, request);
    tell(invocation, answer, " events deleted");
  }

  /** Tells how many events an action reached, and which nodes it did not. */
  static void tell(Invocation invocation, QueueActionAnswer answer, String done) {
    invocation.tell(answer, Figures.count(answer.events()) + done);
    noteUnreached(invocation, answer.unreached());
  }

  /** Tells that some nodes did not answer, so that nobody takes a part for the whole. */
  static void noteUnreached(Invocation invocation, List<String> nodes) {
    if (!nodes.isEmpty()) {
      String names = Escaping.text(String.join(", ", nodes));
      invocation.note("note: " + names + " did not answer; what is there is not counted");
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
      description = "Prints what the queue's latest worker runs wrote, oldest first.",
      footer = {
        "",
        "Examples:",
        "  millrace queue logs alert --failed",
        "  millrace queue logs alert -f"
      })
  void logs(
      @Parameters(paramLabel = "NAME", description = "The queue.") String queue,
      @Option(names = "--failed", description = "Only failed runs.") boolean failed,
      @Option(
              names = {"-f", "--follow"},
              description = "Go on with new runs as they end.")
          boolean follow,
      @Option(
              names = "--limit",
              defaultValue = "10",
              description = "At most so many runs (default: ${DEFAULT-VALUE}).")
          int limit,
      @Option(names = "--raw", description = "Escape nothing, even on a terminal.") boolean raw)
      throws Exception {
    invocation.central().queue(queue);
    AttemptOutput output =
        new AttemptOutput(
            invocation.central(), Sinks.suiting(invocation.terminal(), invocation.json(), raw));
    RunLog log = new RunLog(invocation, output, queue, failed);
    if (log.printNew(limit) == 0 && !follow) {
      invocation.note(failed ? "no failed worker runs" : "no worker runs yet");
    }
    if (follow) {
      log.follow();
    }
  }
}
