package io.millrace.tests.drill;

import io.millrace.tests.drill.network.Cut;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Something that goes wrong with a cluster for a while. */
sealed interface Fault {
  /** Blocks until it has happened. */
  void begin(DrillCluster cluster);

  /** Mends it; blocks until it is mended. */
  void end(DrillCluster cluster);

  /** The processes or the link that it touches: two faults of one thing don't go together. */
  Set<String> touches();

  /** It lasts at least so long. */
  Duration shortest();

  /** It lasts at most so long. */
  Duration longest();

  /** kill -9, and a restart on the same data. */
  record Killed(List<String> victims) implements Fault {
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
    public Duration longest() {
      return Duration.ofSeconds(5);
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
}
