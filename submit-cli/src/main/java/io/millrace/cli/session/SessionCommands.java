package io.millrace.cli.session;

import io.millrace.api.client.SessionClient;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.SessionActed;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionView.SessionCommand;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Confirmation;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Escaping;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace session …}: the sessions of queues. */
@Command(
    name = "session",
    description = "Shows and controls the sessions of queues, and their workers.")
public final class SessionCommands extends CommandGroup {
  private static final int MAX_LISTED = 100_000;
  private static final String ALL_PARKED =
      "All parked sessions of the queue instead of one, one after the other.";

  private SessionCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return inOrder(
        new CommandLine(new SessionCommands(invocation))
            .addSubcommand(SessionWorkerCommands.create(invocation)),
        "list show move close drop worker");
  }

  /** The calls about sessions. */
  static SessionClient sessions(Invocation invocation) {
    return invocation.central().sessions();
  }

  /** Prints which queue nodes are missing in a list, if any. */
  static void noteUnreached(Invocation invocation, Collection<String> nodes) {
    if (!nodes.isEmpty()) {
      invocation.note(
          "note: %s did not answer; what they have is not included"
              .formatted(Escaping.text(String.join(", ", nodes))));
    }
  }

  @Command(
      name = "list",
      description = "Lists the sessions of a queue, in the order of their slots.",
      footer = {
        "",
        "Examples:",
        "  millrace session list orders",
        "  millrace session list orders --state parked",
        "  millrace session list orders --worker 4f1c --limit 500 --json",
        "",
        "Completed sessions are listed with --state completed only, as long as their keys are",
        "remembered."
      })
  void list(
      @Parameters(paramLabel = "QUEUE", description = "Name of the queue.") String queue,
      @Option(
              names = "--state",
              paramLabel = "STATE",
              description =
                  "Only sessions in this state: unassigned, open, parked, completed (default: all"
                      + " but completed).")
          SessionState state,
      @Option(
              names = "--worker",
              paramLabel = "WORKER",
              description =
                  "Only sessions of this worker: its ID, the beginning of it, or its name.")
          String worker,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "50",
              description = "Maximum number of rows (default: ${DEFAULT-VALUE}).")
          int limit,
      @Option(
              names = "--after",
              paramLabel = "WHERE",
              description = "Continue a list at the position that its last line names.")
          String after) {
    OptionRefusal.outside("--limit", limit, 1, MAX_LISTED);
    SessionClient sessions = sessions(invocation);
    UUID id = worker == null ? null : new SessionWorkerNames(sessions, queue).id(worker);
    List<SessionView> found = new ArrayList<>();
    SessionPages pages = new SessionPages(sessions, queue, state, id);
    String next = pages.read(after, limit, found::addAll);
    noteUnreached(invocation, pages.unreached());
    invocation.list(
        new SessionPage(found, next),
        () -> SessionTables.sessions(found, invocation.now()),
        state == null && worker == null ? "no open sessions" : "no matching sessions");
    if (next != null && !invocation.json()) {
      invocation.note("more sessions: use --after " + next);
    }
  }

  @Command(
      name = "show",
      description =
          "Shows a session: its worker, its events, its hand-overs, and what it waits for.",
      footer = {"", "Example:", "  millrace session show orders order-17"})
  void show(
      @Parameters(index = "0", paramLabel = "QUEUE", description = "Name of the queue.")
          String queue,
      @Parameters(index = "1", paramLabel = "KEY", description = "Key of the session.")
          String key) {
    SessionDetails details = sessions(invocation).session(queue, key);
    invocation.show(
        details,
        () ->
            new SessionDescription(queue, details, invocation.now(), invocation.palette()).lines());
  }

  @Command(
      name = "move",
      description = "Takes a session from its worker and gives it to the next one.",
      footer = {
        "",
        "Examples:",
        "  millrace session move orders order-17",
        "  millrace session move orders order-17 --reason 'its worker hangs'",
        "  millrace session move orders --all-parked --reason 'the database is back'",
        "",
        "The next worker gets the last snapshot and the events after it. A parked session is",
        "delivered again: with --all-parked all of them, as after an outage of what events need."
      })
  void move(
      @Parameters(index = "0", paramLabel = "QUEUE", description = "Name of the queue.")
          String queue,
      @Parameters(
              index = "1",
              arity = "0..1",
              paramLabel = "KEY",
              description = "Key of the session.")
          String key,
      @Option(names = "--all-parked", description = ALL_PARKED) boolean allParked,
      @Option(
              names = "--reason",
              paramLabel = "TEXT",
              description = "Reason, recorded with the action.")
          String reason) {
    act(SessionAction.MOVE, queue, key, allParked, reason);
  }

  @Command(
      name = "close",
      description = "Ends a session as if it was completed; its key is remembered.",
      footer = {
        "",
        "Example:",
        "  millrace session close orders order-17 --reason 'cancelled by the customer'",
        "",
        "Events that no worker has acknowledged are not delivered any more. Later events of the key",
        "are duplicates, as long as it is remembered."
      })
  void close(
      @Parameters(index = "0", paramLabel = "QUEUE", description = "Name of the queue.")
          String queue,
      @Parameters(
              index = "1",
              arity = "0..1",
              paramLabel = "KEY",
              description = "Key of the session.")
          String key,
      @Option(names = "--all-parked", description = ALL_PARKED) boolean allParked,
      @Option(
              names = "--reason",
              paramLabel = "TEXT",
              description = "Reason, recorded with the action.")
          String reason,
      @Option(names = "--yes", description = "Do not ask for confirmation of --all-parked.")
          boolean yes)
      throws IOException {
    if (allParked && !yes) {
      confirm("ends all parked sessions of queue " + queue, "the name of the queue", queue);
    }
    act(SessionAction.CLOSE, queue, key, allParked, reason);
  }

  @Command(
      name = "drop",
      description = "Deletes a session with its events; its key is not remembered.",
      footer = {
        "",
        "Examples:",
        "  millrace session drop orders order-17",
        "  millrace session drop orders order-17 --reason 'sent by mistake' --yes",
        "",
        "A later event of the key opens a new session. The key of a session that has ended is",
        "forgotten."
      })
  void drop(
      @Parameters(index = "0", paramLabel = "QUEUE", description = "Name of the queue.")
          String queue,
      @Parameters(
              index = "1",
              arity = "0..1",
              paramLabel = "KEY",
              description = "Key of the session.")
          String key,
      @Option(names = "--all-parked", description = ALL_PARKED) boolean allParked,
      @Option(
              names = "--reason",
              paramLabel = "TEXT",
              description = "Reason, recorded with the action.")
          String reason,
      @Option(names = "--yes", description = "Do not ask for confirmation.") boolean yes)
      throws IOException {
    if (!yes && allParked) {
      confirm(
          "permanently deletes all parked sessions of queue %s with all their events"
              .formatted(queue),
          "the name of the queue",
          queue);
    } else if (!yes && key != null) {
      confirm(
          "permanently deletes session %s of queue %s with all its events".formatted(key, queue),
          "the key of the session",
          key);
    }
    act(SessionAction.DROP, queue, key, allParked, reason);
  }

  private void confirm(String what, String called, String expected) throws IOException {
    new Confirmation(invocation).require(what, called, expected);
  }

  private void act(
      SessionAction action, String queue, String key, boolean allParked, String reason) {
    OptionRefusal.unless(
        allParked == (key == null),
        "--all-parked",
        "name the key of a session, or use --all-parked");
    SessionClient sessions = sessions(invocation);
    if (allParked) {
      new ParkedSessions(invocation, sessions, queue).act(action, reason);
      return;
    }
    SessionActed acted = sessions.actOnSession(queue, SessionCommand.of(action, key, reason));
    invocation.report(acted, acted.message());
  }
}
