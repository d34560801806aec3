package io.millrace.tests.drill.cluster;

import io.millrace.tests.drill.network.StatementHold;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Faults of processes. */
public sealed interface ProcessFault extends Fault {
  /** kill -9 and a restart on the same data. */
  record Killed(List<String> victims, Duration longest) implements ProcessFault {
    /** Restarted within five seconds, before it is declared lost. */
    public Killed(List<String> victims) {
      this(victims, Duration.ofSeconds(5));
    }

    @Override
    public FaultCell cell() {
      return new FaultCell(FaultKind.KILL, FaultRole.of(victims.get(0)));
    }

    @Override
    public void begin(DrillCluster cluster) {
      victims.forEach(cluster::kill);
    }

    @Override
    public void end(DrillCluster cluster) {
      victims.forEach(cluster::restart);
    }

    @Override
    public Set<String> touches() {
      return Set.copyOf(victims);
    }

    @Override
    public Set<String> disturbs() {
      return touches();
    }

    @Override
    public Duration shortest() {
      return Duration.ofMillis(200);
    }

    @Override
    public String toString() {
      return "kill " + String.join("+", victims);
    }
  }

  /** SIGSTOP. */
  record Frozen(String victim, FaultKind kind, Duration shortest, Duration longest)
      implements ProcessFault {
    /** Longer than a silent process counts as alive (5 s), possibly longer than its lease. */
    public static Frozen shortly(String victim) {
      return new Frozen(
          victim, FaultKind.SHORT_FREEZE, Duration.ofMillis(5_500), Duration.ofSeconds(12));
    }

    /** Longer than any lease and most timeouts. */
    public static Frozen forMinutes(String victim) {
      return new Frozen(
          victim, FaultKind.LONG_FREEZE, Duration.ofSeconds(121), Duration.ofSeconds(240));
    }

    @Override
    public FaultCell cell() {
      return new FaultCell(kind, FaultRole.of(victim));
    }

    @Override
    public void begin(DrillCluster cluster) {
      cluster.freeze(victim);
    }

    @Override
    public void end(DrillCluster cluster) {
      cluster.thaw(victim);
    }

    @Override
    public Set<String> touches() {
      return Set.of(victim);
    }

    @Override
    public Set<String> disturbs() {
      return touches();
    }

    @Override
    public String toString() {
      return "freeze " + victim;
    }
  }

  /**
   * SIGSTOP of a central manager that has just sent a statement that changes jobs, with its
   * transaction open and its rows locked. Counts if that moment was reached.
   */
  final class FrozenInTransaction implements ProcessFault {
    private static final Duration TIMEOUT = Duration.ofSeconds(15);

    private final String victim;
    private final String statement;
    private final Duration shortest;
    private final Duration longest;
    private boolean held;

    /**
     * A freeze at one statement.
     *
     * @param statement a regular expression for the statement
     */
    public FrozenInTransaction(
        String victim, String statement, Duration shortest, Duration longest) {
      this.victim = victim;
      this.statement = statement;
      this.shortest = shortest;
      this.longest = longest;
    }

    @Override
    public FaultCell cell() {
      return new FaultCell(FaultKind.FREEZE_IN_TRANSACTION, FaultRole.CENTRAL_MANAGER);
    }

    @Override
    public void begin(DrillCluster cluster) {
      StatementHold hold = StatementHold.after(statement);
      cluster.links().get(victim + ">database").hold(hold);
      try {
        held = hold.await(TIMEOUT);
        cluster.freeze(victim);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      } finally {
        // The answer reaches a frozen process, before its next statement.
        hold.release();
      }
    }

    @Override
    public void end(DrillCluster cluster) {
      cluster.thaw(victim);
    }

    @Override
    public Set<String> touches() {
      return Set.of(victim);
    }

    @Override
    public Set<String> disturbs() {
      return Set.of();
    }

    @Override
    public Optional<String> hit() {
      return held ? Optional.of("a transaction after " + statement) : Optional.empty();
    }

    @Override
    public Duration shortest() {
      return shortest;
    }

    @Override
    public Duration longest() {
      return longest;
    }

    @Override
    public String toString() {
      return "freeze " + victim + " after " + statement;
    }
  }

  /** Killed and restarted with a heap that is small for the load, and later with its usual heap. */
  record SmallHeap(String victim, String heap) implements ProcessFault {
    @Override
    public FaultCell cell() {
      return new FaultCell(FaultKind.SMALL_HEAP, FaultRole.of(victim));
    }

    @Override
    public void begin(DrillCluster cluster) {
      cluster.kill(victim);
      cluster.restart(victim, List.of("-Xmx" + heap));
    }

    @Override
    public void end(DrillCluster cluster) {
      cluster.kill(victim);
      cluster.restart(victim);
    }

    @Override
    public Set<String> touches() {
      return Set.of(victim);
    }

    @Override
    public Set<String> disturbs() {
      return touches();
    }

    @Override
    public Duration shortest() {
      return Duration.ofSeconds(10);
    }

    @Override
    public Duration longest() {
      return Duration.ofSeconds(30);
    }

    @Override
    public String toString() {
      return "-Xmx" + heap + " for " + victim;
    }
  }

  /** The wall clock of a process or of the database is stepped and later stepped back. */
  record Stepped(String process, int hours) implements ProcessFault {
    @Override
    public FaultCell cell() {
      return new FaultCell(FaultKind.CLOCK_STEP, FaultRole.of(process));
    }

    @Override
    public void begin(DrillCluster cluster) {
      cluster.clocks().step(process, hours);
    }

    @Override
    public void end(DrillCluster cluster) {
      cluster.clocks().step(process, 0);
    }

    @Override
    public Set<String> touches() {
      return Set.of("clock of " + process);
    }

    @Override
    public Set<String> disturbs() {
      return Set.of(process);
    }

    @Override
    public Duration shortest() {
      return Duration.ofSeconds(3);
    }

    @Override
    public Duration longest() {
      return Duration.ofSeconds(15);
    }

    @Override
    public String toString() {
      return "clock of %s %+dh".formatted(process, hours);
    }
  }

  /** The small file system with a process's data is full. */
  record DiskFull(String victim) implements ProcessFault {
    @Override
    public FaultCell cell() {
      return new FaultCell(FaultKind.DISK_FULL, FaultRole.of(victim));
    }

    @Override
    public void begin(DrillCluster cluster) {
      cluster.disks().fill(victim);
    }

    @Override
    public void end(DrillCluster cluster) {
      cluster.disks().empty(victim);
      if (!cluster.lives(victim)) {
        cluster.restart(victim);
      }
    }

    @Override
    public Set<String> touches() {
      return Set.of(victim);
    }

    @Override
    public Set<String> disturbs() {
      return touches();
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
      return "disk of " + victim + " full";
    }
  }
}
