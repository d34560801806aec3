package io.millrace.tests.drill.cluster;

import io.millrace.tests.drill.network.Link;
import io.millrace.tests.drill.network.LinkFailure;
import io.millrace.tests.server.DatabaseProcess;
import java.time.Duration;
import java.util.Set;

/** Faults of the database that the central managers share. */
public sealed interface DatabaseFault extends Fault {
  /** The name of the database among the processes of a cluster. */
  String DATABASE = "database";

  /** Its kind. */
  FaultKind kind();

  @Override
  default FaultCell cell() {
    return new FaultCell(kind(), FaultRole.DATABASE);
  }

  @Override
  default Set<String> touches() {
    return Set.of(DATABASE);
  }

  @Override
  default Set<String> disturbs() {
    return Set.of(DATABASE);
  }

  /** No central manager can reach it. */
  record Outage(Duration shortest, Duration longest) implements DatabaseFault {
    @Override
    public FaultKind kind() {
      return FaultKind.CUT;
    }

    @Override
    public void begin(DrillCluster cluster) {
      cluster.links().toDatabase().forEach(link -> link.cut(LinkFailure.REFUSED));
    }

    @Override
    public void end(DrillCluster cluster) {
      cluster.links().toDatabase().forEach(Link::heal);
    }

    @Override
    public String toString() {
      return "database out of reach";
    }
  }

  /** The server is killed and restarted on the same data. */
  record Killed(DatabaseProcess server) implements DatabaseFault {
    @Override
    public FaultKind kind() {
      return FaultKind.KILL;
    }

    @Override
    public void begin(DrillCluster cluster) {
      server.kill();
    }

    @Override
    public void end(DrillCluster cluster) {
      server.start();
    }

    @Override
    public Duration shortest() {
      return Duration.ofMillis(200);
    }

    @Override
    public Duration longest() {
      return Duration.ofSeconds(8);
    }

    @Override
    public String toString() {
      return "kill database";
    }
  }

  /** SIGSTOP of the server. */
  record Frozen(DatabaseProcess server, FaultKind kind, Duration shortest, Duration longest)
      implements DatabaseFault {
    @Override
    public void begin(DrillCluster cluster) {
      server.freeze();
    }

    @Override
    public void end(DrillCluster cluster) {
      server.thaw();
    }

    @Override
    public String toString() {
      return "freeze database";
    }
  }

  /** The server refuses writes of users without a special privilege, as a replica does. */
  record ReadOnly(DatabaseProcess server, Duration shortest, Duration longest)
      implements DatabaseFault {
    @Override
    public FaultKind kind() {
      return FaultKind.READ_ONLY;
    }

    @Override
    public void begin(DrillCluster cluster) {
      server.readOnly(true);
    }

    @Override
    public void end(DrillCluster cluster) {
      server.readOnly(false);
    }

    @Override
    public String toString() {
      return "database read-only";
    }
  }

  /** The file system with its data is full. */
  record DiskFull(DatabaseProcess server, SmallDisks disks) implements DatabaseFault {
    @Override
    public FaultKind kind() {
      return FaultKind.DISK_FULL;
    }

    @Override
    public void begin(DrillCluster cluster) {
      disks.fill(DATABASE);
    }

    @Override
    public void end(DrillCluster cluster) {
      disks.empty(DATABASE);
      server.recover();
    }

    @Override
    public Duration shortest() {
      return Duration.ofSeconds(4);
    }

    @Override
    public Duration longest() {
      return Duration.ofSeconds(20);
    }

    @Override
    public String toString() {
      return "disk of database full";
    }
  }
}
