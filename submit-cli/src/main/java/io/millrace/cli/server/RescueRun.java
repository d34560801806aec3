package io.millrace.cli.server;

import io.millrace.api.MillraceException;
import io.millrace.api.client.QueueClient;
import io.millrace.cli.connection.Connection;
import io.millrace.cli.connection.Targeting;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Table;
import io.millrace.queuenode.rescue.BalancerRescueTarget;
import io.millrace.queuenode.rescue.RescueTarget;
import io.millrace.queuenode.rescue.StoreRescue;
import io.millrace.queuenode.rescue.StoreRescue.RescuedQueue;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** One rescue, or one look at what it would be. */
final class RescueRun {
  private final Invocation invocation;
  private final Wish wish;
  private final RescueLine line;

  /**
   * What is to be rescued.
   *
   * @param data the dead node's data directory
   * @param to a load balancer; null for those that the central manager knows
   * @param includeDead whether dead letters go too
   * @param patience how long a batch waits to be taken
   */
  record Wish(Path data, URI to, boolean includeDead, Duration patience) {}

  RescueRun(Invocation invocation, Wish wish) {
    this.invocation = invocation;
    this.wish = wish;
    this.line = new RescueLine(invocation.terminal(), invocation.clock());
  }

  /** Blocks until all is done; gives the exit code. */
  int run(boolean dryRun) throws InterruptedException {
    ServerLogging.configure(wish.data().resolve("logs"), "rescue", "ERROR");
    List<RescuedQueue> queues = dryRun ? rescue(RescueRun::sendNothing).look() : send();
    show(queues);
    boolean whole = dryRun || queues.stream().allMatch(queue -> queue.left() == 0);
    return whole ? ExitCode.OK.code() : ExitCode.FAILED.code();
  }

  private static void sendNothing(String queue, String batch, List<?> events) {
    throw new IllegalStateException("a look sends nothing");
  }

  private StoreRescue rescue(RescueTarget outlet) {
    return new StoreRescue(wish.data(), wish.includeDead(), outlet, line::sent, invocation.clock());
  }

  private List<RescuedQueue> send() throws InterruptedException {
    StoreRescue rescue =
        rescue(
            new BalancerRescueTarget(
                balancers(), wish.patience(), invocation.clock(), line::waits));
    try {
      return rescue.run();
    } catch (MillraceException e) {
      line.end();
      if (rescue.sent() > 0) {
        String sent = Figures.count(rescue.sent());
        invocation.terminal().note(sent + " events were sent; run it again for the rest");
      }
      throw e;
    } finally {
      line.end();
    }
  }

  private QueueClient balancers() {
    if (wish.to() == null) {
      return invocation.connection().balancers();
    }
    Targeting targeting = new Targeting(invocation.environment());
    Connection direct =
        new Connection(
            invocation.transport(),
            targeting.target(List.of(wish.to()), invocation.options().tokenFile(), null));
    return new QueueClient(direct.api());
  }

  private void show(List<RescuedQueue> queues) {
    if (invocation.json()) {
      invocation.terminal().json(queues);
      return;
    }
    Table table =
        new Table(
            Column.left("QUEUE"),
            Column.right("EVENTS"),
            Column.right("SENT"),
            Column.right("LEFT"),
            Column.right("DEAD"),
            Column.left("TROUBLE"));
    for (RescuedQueue queue : queues) {
      table.row(
          queue.queue(), queue.found(), queue.sent(), queue.left(), queue.dead(), queue.trouble());
    }
    invocation.print(table, "the store holds no events");
  }
}
