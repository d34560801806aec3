package io.millrace.cli.server;

import io.millrace.api.MillraceException;
import io.millrace.api.client.QueueClient;
import io.millrace.cli.invocation.Connection;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Targeting;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.StatusLine;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import io.millrace.platform.lifecycle.ServerLogging;
import io.millrace.queuenode.rescue.BalancerRescueTarget;
import io.millrace.queuenode.rescue.ClusterSlotOwners;
import io.millrace.queuenode.rescue.SessionRescue;
import io.millrace.queuenode.rescue.SessionRescue.RescueWatch;
import io.millrace.queuenode.rescue.SessionRescue.RescuedSessions;
import io.millrace.queuenode.rescue.StoreRescue;
import io.millrace.queuenode.rescue.StoreRescue.RescueTarget;
import io.millrace.queuenode.rescue.StoreRescue.RescuedQueue;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code millrace queue-node rescue}: sends the events and the sessions of a lost queue node's data
 * directory to the cluster.
 */
@Command(
    name = "rescue",
    description = {
      "Sends the events in the store of a lost queue node to the cluster, with their IDs.",
      "Sessions go to the queue nodes that have their slots now, as soon as the node is LOST; this"
          + " needs the role admin.",
      "The command may be interrupted and repeated. The node must neither run nor be started on this"
          + " store until it has finished."
    },
    footer = {
      "",
      "Examples:",
      "  millrace queue-node rescue --data /mnt/q3 --dry-run",
      "  millrace queue-node rescue --data /mnt/q3",
      "  millrace --data /var/lib/millrace queue-node rescue --data /mnt/q3",
      "",
      "The data directory of a running 'millrace up' is written before the command, as in the last",
      "example, or in MILLRACE_DATA."
    })
public final class RescueCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "Data directory of the lost node (required).")
  private Path data;

  @Option(
      names = "--to",
      paramLabel = "URL",
      description = "Load balancer (default: those that the central manager knows).")
  private URI to;

  @Option(names = "--include-dead", description = "Also send dead letters, as ordinary events.")
  private boolean includeDead;

  @Option(names = "--dry-run", description = "Only show what the store contains.")
  private boolean dryRun;

  @Option(
      names = "--patience",
      paramLabel = "DURATION",
      defaultValue = "10m",
      description =
          "Maximum time that a batch, or a slot of sessions, waits to be accepted (default:"
              + " ${DEFAULT-VALUE}).")
  private Duration timeout;

  public RescueCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws InterruptedException {
    // The classes of the rescue are not on the class path of commands that only call servers.
    return new RescueRun(invocation, new RescueRun.Request(data, to, includeDead, timeout))
        .run(dryRun);
  }

  /** One rescue or one dry run. */
  private static final class RescueRun {
    private final Invocation invocation;
    private final Request request;
    private final StatusLine line;

    /**
     * Parameters of the rescue.
     *
     * @param data data directory of the lost node
     * @param to load balancer; null for those that the central manager knows
     * @param includeDead whether dead letters are sent, too
     * @param timeout maximum time that a batch waits to be accepted
     */
    record Request(Path data, URI to, boolean includeDead, Duration timeout) {}

    RescueRun(Invocation invocation, Request request) {
      this.invocation = invocation;
      this.request = request;
      this.line = new StatusLine(invocation.terminal(), invocation.clock());
    }

    /** Blocks until the rescue has ended; returns the exit code. */
    int run(boolean dryRun) throws InterruptedException {
      ServerLogging.configure(request.data().resolve("logs"), "rescue", "ERROR");
      List<RescuedSessions> sessions = dryRun ? sessions().inspect() : sendSessions();
      if (!invocation.json() && !sessions.isEmpty()) {
        invocation.print(table(sessions), "");
      }
      List<RescuedQueue> queues = dryRun ? rescue(RescueRun::sendNothing).inspect() : send();
      if (invocation.json()) {
        List<Object> all = new ArrayList<>(queues);
        all.addAll(sessions);
        invocation.terminal().json(all);
      } else if (sessions.isEmpty() || !queues.isEmpty()) {
        show(queues);
      }
      boolean complete =
          dryRun
              || (queues.stream().allMatch(queue -> queue.left() == 0)
                  && sessions.stream().allMatch(queue -> queue.trouble() == null));
      return complete ? ExitCode.OK.code() : ExitCode.FAILED.code();
    }

    private SessionRescue sessions() {
      ClusterSlotOwners owners = new ClusterSlotOwners(() -> invocation.connection().central());
      return new SessionRescue(
          request.data(),
          owners,
          request.timeout(),
          new RescueWatch() {
            @Override
            public void sent(String queue, int sent, int found) {
              line.show(
                  "%s: %s of %s sent"
                      .formatted(
                          Escaping.text(queue), Figures.count(sent), Figures.count(found, "slot")));
            }

            @Override
            public void waits(String reason) {
              showWait(reason);
            }
          },
          invocation.clock());
    }

    private List<RescuedSessions> sendSessions() throws InterruptedException {
      try {
        return sessions().run();
      } finally {
        line.end();
      }
    }

    private static Table table(List<RescuedSessions> queues) {
      Table table =
          new Table(
              Column.left("QUEUE OF SESSIONS"),
              Column.right("SLOTS"),
              Column.right("SESSIONS"),
              Column.right("EVENTS"),
              Column.right("SENT"),
              Column.right("LEFT"),
              Column.right("SESSIONS LEFT"),
              Column.left("PROBLEM"));
      for (RescuedSessions queue : queues) {
        table.row(
            queue.queue(),
            queue.slots(),
            queue.sessions(),
            queue.found(),
            queue.sent(),
            queue.left(),
            queue.sessionsLeft(),
            queue.trouble());
      }
      return table;
    }

    private static void sendNothing(String queue, String batch, List<?> events) {
      throw new IllegalStateException("a dry run sends nothing");
    }

    private StoreRescue rescue(RescueTarget outlet) {
      return new StoreRescue(
          request.data(), request.includeDead(), outlet, this::showSent, invocation.clock());
    }

    private List<RescuedQueue> send() throws InterruptedException {
      StoreRescue rescue =
          rescue(
              new BalancerRescueTarget(
                  balancers(), request.timeout(), invocation.clock(), this::showWait));
      try {
        return rescue.run();
      } catch (MillraceException e) {
        line.end();
        if (rescue.sent() > 0) {
          invocation.note(
              Figures.count(rescue.sent(), "event") + " sent; repeat the command to send the rest");
        }
        throw e;
      } finally {
        line.end();
      }
    }

    private QueueClient balancers() {
      if (request.to() == null) {
        return invocation.connection().balancers();
      }
      Targeting targeting = new Targeting(invocation.environment());
      Connection direct =
          new Connection(
              invocation.transport(),
              targeting.target(List.of(request.to()), invocation.options().tokenFile(), null));
      return new QueueClient(direct.api());
    }

    private void show(List<RescuedQueue> queues) {
      Table table =
          new Table(
              Column.left("QUEUE"),
              Column.right("EVENTS"),
              Column.right("SENT"),
              Column.right("LEFT"),
              Column.right("DEAD"),
              Column.left("PROBLEM"));
      for (RescuedQueue queue : queues) {
        table.row(
            queue.queue(),
            queue.found(),
            queue.sent(),
            queue.left(),
            queue.dead(),
            queue.trouble());
      }
      invocation.print(table, "the store contains no events");
    }

    private void showSent(String queue, long sent, long found) {
      line.show(
          "%s: %s of %s sent"
              .formatted(Escaping.text(queue), Figures.count(sent), Figures.count(found, "event")));
    }

    private void showWait(String reason) {
      line.show("waiting: " + Escaping.text(reason));
    }
  }
}
