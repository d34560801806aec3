package io.millrace.cli.session;

import io.millrace.api.client.ApiClient.Listing;
import io.millrace.api.client.SessionClient;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace session worker …}: the workers that have the sessions of a queue. */
@Command(name = "worker", description = "Shows and retires the workers of a queue's sessions.")
final class SessionWorkerCommands extends CommandGroup {
  private static final int SHOWN = 20;

  private SessionWorkerCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  static CommandLine create(Invocation invocation) {
    return inOrder(new CommandLine(new SessionWorkerCommands(invocation)), "list show retire");
  }

  @Command(
      name = "list",
      description = "Lists the workers of a queue's sessions, with a row for each queue node.",
      footer = {"", "Example:", "  millrace session worker list orders"})
  void list(@Parameters(paramLabel = "QUEUE", description = "Name of the queue.") String queue) {
    Listing<SessionWorkerView> answer = SessionCommands.sessions(invocation).sessionWorkers(queue);
    List<SessionWorkerView> listed = answer.found();
    SessionCommands.noteUnreached(invocation, answer.unreached());
    invocation.list(
        listed,
        () -> SessionTables.workers(listed),
        "no session workers; the queue's sessions wait until one registers");
  }

  @Command(
      name = "show",
      description = "Shows a session worker: its state at each queue node, and its sessions.",
      footer = {
        "",
        "Examples:",
        "  millrace session worker show orders 4f1c",
        "  millrace session worker show orders packer-2 --json"
      })
  void show(
      @Parameters(index = "0", paramLabel = "QUEUE", description = "Name of the queue.")
          String queue,
      @Parameters(
              index = "1",
              paramLabel = "WORKER",
              description = "ID of the worker, the beginning of it, or its name.")
          String wanted) {
    SessionClient sessions = SessionCommands.sessions(invocation);
    List<SessionWorkerView> worker = new SessionWorkerNames(sessions, queue).find(wanted);
    Listing<SessionView> found = sessions.sessions(queue, null, worker.get(0).id(), null, SHOWN);
    SessionCommands.noteUnreached(invocation, found.unreached());
    SessionPage some = new SessionPage(found.found(), found.next());
    invocation.show(
        Map.of("worker", worker, "sessions", some.sessions()),
        () ->
            new SessionWorkerDescription(worker, some, invocation.now(), invocation.palette())
                .lines());
  }

  @Command(
      name = "retire",
      description = "Retires a session worker: its sessions go to other workers.",
      footer = {
        "",
        "Examples:",
        "  millrace session worker retire orders 4f1c",
        "  millrace session worker retire orders packer-2 --ask --reason 'new version'",
        "",
        "Without --ask it is retired at once, as if it was lost: what it reports afterwards is refused,",
        "and it may register again. With --ask it gives back its sessions first and then ends."
      })
  void retire(
      @Parameters(index = "0", paramLabel = "QUEUE", description = "Name of the queue.")
          String queue,
      @Parameters(
              index = "1",
              paramLabel = "WORKER",
              description = "ID of the worker, the beginning of it, or its name.")
          String wanted,
      @Option(
              names = "--ask",
              description = "Ask it to give back its sessions and to end, instead.")
          boolean ask,
      @Option(
              names = "--reason",
              paramLabel = "TEXT",
              description = "Reason, recorded with the action.")
          String reason) {
    SessionClient sessions = SessionCommands.sessions(invocation);
    UUID worker = new SessionWorkerNames(sessions, queue).id(wanted);
    sessions.retireSessionWorker(queue, worker, ask, reason);
    invocation.report(
        Map.of("queue", queue, "worker", worker, "ask", ask),
        "session worker %s of %s %s"
            .formatted(worker, queue, ask ? "is asked to give back its sessions" : "retired"));
  }
}
