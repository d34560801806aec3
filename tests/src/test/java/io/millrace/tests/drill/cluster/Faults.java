package io.millrace.tests.drill.cluster;

import io.millrace.tests.drill.cluster.ProcessFault.Frozen;
import io.millrace.tests.drill.cluster.ProcessFault.FrozenInTransaction;
import io.millrace.tests.drill.cluster.ProcessFault.Killed;
import io.millrace.tests.drill.network.Direction;
import io.millrace.tests.drill.network.Interference.Way;
import io.millrace.tests.drill.network.LinkFailure;
import io.millrace.tests.server.DatabaseProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All faults of the processes and links of a cluster, for the deck. */
public final class Faults {
  // Longer than any lease: running jobs move to another node.
  private static final Duration LONG_DOWNTIME = Duration.ofSeconds(20);
  private static final Duration SHORT_OUTAGE = Duration.ofSeconds(5);
  private static final Duration MINUTE = Duration.ofSeconds(60);
  private static final Duration MINUTES = Duration.ofSeconds(121);
  private static final Duration AT_MOST = Duration.ofSeconds(150);
  private static final Duration LATENCY = Duration.ofMillis(400);
  private static final long NARROW = 32 << 10;

  // Each is sent in the middle of a transaction that changes jobs or weights.
  private static final List<String> CHANGES_OF_JOBS =
      List.of(
          "insert into attempt",
          "update job set",
          "update attempt set",
          "update booking set offered",
          "update node_orders set");
  private static final List<String> CHANGES_OF_WEIGHTS = List.of("update queue_weight set");
  // Registrations, polls, reports and deregistrations; a queue node reports its segments.
  private static final String TO_CENTRAL = "^(POST|DELETE) /v1/(execution|queue)-nodes";

  private final DrillCluster cluster;
  private final Shape shape;
  private final Optional<DatabaseProcess> database;

  /** The database is empty if the drill must not hit it. */
  public Faults(DrillCluster cluster, Optional<DatabaseProcess> database) {
    this.cluster = cluster;
    this.shape = cluster.shape();
    this.database = database;
  }

  /** Those that end within about a minute. */
  public List<Fault> shortOnes() {
    List<Fault> all = new ArrayList<>();
    for (String name : shape.names()) {
      all.add(new Killed(List.of(name)));
      all.add(Frozen.shortly(name));
      all.add(new ProcessFault.SmallHeap(name, smallHeap(name)));
      if (cluster.disks().has(name)) {
        all.add(new ProcessFault.DiskFull(name));
      }
    }
    shape.executionNodeNames().forEach(name -> all.add(new Killed(List.of(name), LONG_DOWNTIME)));
    all.add(new Killed(shape.centralNames(), LONG_DOWNTIME));
    if (shape.queueNodes() > 0) {
      all.add(new Killed(shape.queueNodeNames()));
    }
    all.addAll(links());
    all.addAll(requests());
    all.addAll(clocks());
    if (shape.executionNodes() > 0) {
      all.addAll(JobProcessFault.shortOnes());
    }
    database.ifPresent(server -> all.addAll(ofDatabase(server)));
    return all;
  }

  private static String smallHeap(String name) {
    return switch (FaultRole.of(name)) {
      case CENTRAL_MANAGER -> "64m";
      case QUEUE_NODE -> "48m";
      default -> "32m";
    };
  }

  private List<Fault> links() {
    List<Fault> all = new ArrayList<>();
    for (String link : cluster.links().names()) {
      // The link over which the drill itself reads logs.
      if (!link.startsWith("readers>")) {
        for (LinkFailure cut : LinkFailure.values()) {
          all.add(new LinkFault.CutOff(link, cut));
        }
        for (Direction direction : Direction.values()) {
          all.add(new LinkFault.Slow(link, direction, LATENCY, NARROW));
        }
      }
    }
    return all;
  }

  private List<Fault> requests() {
    List<Fault> all = new ArrayList<>();
    List<String> clients = new ArrayList<>(shape.executionNodeNames());
    clients.addAll(shape.queueNodeNames());
    for (String client : clients) {
      for (Way way : Way.values()) {
        all.add(new LinkFault.Requests(client, way, TO_CENTRAL));
      }
    }
    return all;
  }

  private List<Fault> clocks() {
    List<Fault> all = new ArrayList<>();
    if (!cluster.clocks().canStep()) {
      return all;
    }
    List<String> names = new ArrayList<>(shape.names());
    if (database.isPresent() && Clocks.library().isPresent()) {
      names.add(DatabaseFault.DATABASE);
    }
    for (String name : names) {
      all.add(new ProcessFault.Stepped(name, 1));
      all.add(new ProcessFault.Stepped(name, -1));
    }
    return all;
  }

  private List<Fault> ofDatabase(DatabaseProcess server) {
    List<Fault> all = new ArrayList<>();
    all.add(new DatabaseFault.Killed(server));
    all.add(new DatabaseFault.Outage(SHORT_OUTAGE, LONG_DOWNTIME));
    all.add(
        new DatabaseFault.Frozen(
            server, FaultKind.SHORT_FREEZE, Duration.ofSeconds(3), Duration.ofSeconds(12)));
    all.add(new DatabaseFault.ReadOnly(server, Duration.ofSeconds(3), LONG_DOWNTIME));
    if (cluster.disks().has(DatabaseFault.DATABASE)) {
      all.add(new DatabaseFault.DiskFull(server, cluster.disks()));
    }
    for (String central : shape.centralNames()) {
      for (String statement : changes()) {
        all.add(
            new FrozenInTransaction(
                central, statement, Duration.ofMillis(5_500), Duration.ofSeconds(15)));
      }
    }
    return all;
  }

  private List<String> changes() {
    return shape.executionNodes() > 0 ? CHANGES_OF_JOBS : CHANGES_OF_WEIGHTS;
  }

  /** Those that take minutes, to be combined with short ones. */
  public List<Fault> longOnes() {
    List<Fault> all = new ArrayList<>();
    shape.names().forEach(name -> all.add(Frozen.forMinutes(name)));
    if (shape.executionNodes() > 0) {
      all.addAll(JobProcessFault.longOnes());
    }
    database.ifPresent(
        server -> {
          all.add(new DatabaseFault.Frozen(server, FaultKind.LONG_FREEZE, MINUTES, AT_MOST));
          all.add(new DatabaseFault.Outage(MINUTES, AT_MOST));
          all.add(new DatabaseFault.ReadOnly(server, MINUTE, MINUTE.plusSeconds(10)));
          for (String central : shape.centralNames()) {
            all.add(new FrozenInTransaction(central, changes().get(0), MINUTES, AT_MOST));
          }
        });
    return all;
  }
}
