package io.millrace.tests.drill.cluster;

import io.millrace.tests.drill.network.Cut;
import io.millrace.tests.drill.network.Link;
import io.millrace.tests.server.DatabaseProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Something that goes wrong with a cluster for a while. */
public sealed interface Fault {
  /** Blocks until it has happened. */
  void begin(DrillCluster cluster);

  /** Mends it; blocks until it is mended. */
  void end(DrillCluster cluster);

  /** The processes or the link that it touches: two faults of one thing don't go together. */
  Set<String> touches();

  /** What it hits, in the words of {@link FaultTimeline}. */
  default Set<String> targets() {
    return touches();
  }

  /** It lasts at least so long. */
  Duration shortest();

  /** It lasts at most so long. */
  Duration longest();

  /** kill -9, and a restart on the same data. */
  record Killed(List<String> victims, Duration longest) implements Fault {
    /** Back within five seconds: sooner than others take it for lost. */
    public Killed(List<String> victims) {
      this(victims, Duration.ofSeconds(5));
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
    public Duration shortest() {
      return Duration.ofMillis(200);
    }

    @Override
    public String toString() {
      return "kill " + String.join("+", victims);
    }
  }

  /** SIGSTOP for longer than others take a silent one for alive (5 s), perhaps than its lease. */
  record Frozen(String victim) implements Fault {
    @Override
    public void begin(DrillCluster cluster) {
      signal(() -> cluster.process(victim).freeze());
    }

    @Override
    public void end(DrillCluster cluster) {
      signal(() -> cluster.process(victim).thaw());
    }

    private static void signal(Signal signal) {
      try {
        signal.send();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private interface Signal {
      void send() throws IOException, InterruptedException;
    }

    @Override
    public Set<String> touches() {
      return Set.of(victim);
    }

    @Override
    public Duration shortest() {
      return Duration.ofMillis(5_500);
    }

    @Override
    public Duration longest() {
      return Duration.ofSeconds(12);
    }

    @Override
    public String toString() {
      return "freeze " + victim;
    }
  }

  /** A link is cut. */
  record CutOff(String link, Cut cut) implements Fault {
    @Override
    public void begin(DrillCluster cluster) {
      cluster.links().get(link).cut(cut);
    }

    @Override
    public void end(DrillCluster cluster) {
      cluster.links().get(link).heal();
    }

    @Override
    public Set<String> touches() {
      return Set.of(link, link.substring(link.indexOf('>') + 1));
    }

    @Override
    public Set<String> targets() {
      return Set.of(link);
    }

    @Override
    public Duration shortest() {
      return Duration.ofSeconds(2);
    }

    @Override
    public Duration longest() {
      return Duration.ofSeconds(10);
    }

    @Override
    public String toString() {
      return "cut " + link + " " + cut;
    }
  }

  /** The wall clock of a process, the database's perhaps, jumps and later jumps back. */
  record Stepped(String process, int hours) implements Fault {
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

  /** No central manager reaches the database. */
  record Outage(Duration shortest, Duration longest) implements Fault {
    @Override
    public void begin(DrillCluster cluster) {
      cluster.links().toDatabase().forEach(link -> link.cut(Cut.REFUSED));
    }

    @Override
    public void end(DrillCluster cluster) {
      cluster.links().toDatabase().forEach(Link::heal);
    }

    @Override
    public Set<String> touches() {
      return Set.of("database");
    }

    @Override
    public String toString() {
      return "database out of reach";
    }
  }

  /** The database server is killed, and started on the same data. */
  record DatabaseKilled(DatabaseProcess server) implements Fault {
    @Override
    public void begin(DrillCluster cluster) {
      server.kill();
    }

    @Override
    public void end(DrillCluster cluster) {
      server.start();
    }

    @Override
    public Set<String> touches() {
      return Set.of("database");
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
}
