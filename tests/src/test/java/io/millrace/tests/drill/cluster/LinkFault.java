package io.millrace.tests.drill.cluster;

import io.millrace.tests.drill.network.Direction;
import io.millrace.tests.drill.network.Interference;
import io.millrace.tests.drill.network.Interference.Way;
import io.millrace.tests.drill.network.Link;
import io.millrace.tests.drill.network.LinkFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Faults of links. */
public sealed interface LinkFault extends Fault {
  /**
   * The role affected by a fault of a link: the client, or the server for links with many clients.
   */
  static String sufferer(String link) {
    String from = link.substring(0, link.indexOf('>'));
    boolean process = from.matches("(c|e|q|lb)[0-9]+");
    return process ? from : link.substring(link.indexOf('>') + 1);
  }

  /** A link is cut. */
  record CutOff(String link, LinkFailure cut) implements LinkFault {
    @Override
    public FaultCell cell() {
      boolean oneWay = cut == LinkFailure.TO_SERVER || cut == LinkFailure.TO_CLIENT;
      return new FaultCell(
          oneWay ? FaultKind.CUT_ONE_WAY : FaultKind.CUT, FaultRole.of(sufferer(link)));
    }

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
    public Set<String> disturbs() {
      return Set.of(sufferer(link));
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

  /** A link is slow in one direction: high latency and low bandwidth. */
  record Slow(String link, Direction direction, Duration latency, long bytesPerSecond)
      implements LinkFault {
    @Override
    public FaultCell cell() {
      return new FaultCell(FaultKind.SLOW, FaultRole.of(sufferer(link)));
    }

    @Override
    public void begin(DrillCluster cluster) {
      cluster.links().get(link).slow(direction, latency, bytesPerSecond);
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
    public Set<String> disturbs() {
      return Set.of(sufferer(link));
    }

    @Override
    public Duration shortest() {
      return Duration.ofSeconds(4);
    }

    @Override
    public Duration longest() {
      return Duration.ofSeconds(15);
    }

    @Override
    public String toString() {
      return "slow %s %s by %d ms".formatted(link, direction, latency.toMillis());
    }
  }

  /**
   * Requests of one process are delivered twice, or after newer ones. Counts if at least one of
   * them was and reached its server.
   */
  final class Requests implements LinkFault {
    private final String client;
    private final Way way;
    private final String lines;
    private final List<Interference> interferences = new ArrayList<>();
    private List<String> delivered = List.of();

    /**
     * A fault on every link over which the process reaches a central manager.
     *
     * @param lines pattern searched for in the first line of a request
     */
    public Requests(String client, Way way, String lines) {
      this.client = client;
      this.way = way;
      this.lines = lines;
    }

    @Override
    public FaultCell cell() {
      FaultKind kind = way == Way.LATE ? FaultKind.LATE : FaultKind.REPEATED;
      return new FaultCell(kind, FaultRole.of(client));
    }

    @Override
    public void begin(DrillCluster cluster) {
      AtomicInteger passed = new AtomicInteger();
      interferences.clear();
      for (Link link : cluster.links().toCentrals(client)) {
        Interference one = new Interference(way, lines, link.target(), passed);
        interferences.add(one);
        link.add(one);
      }
    }

    @Override
    public void end(DrillCluster cluster) {
      interferences.forEach(Interference::deliver);
      cluster.links().toCentrals(client).forEach(link -> interferences.forEach(link::remove));
      delivered =
          interferences.stream()
              .flatMap(one -> one.delivered().stream())
              .collect(Collectors.toList());
    }

    // Also its target: a repeated or late request does not excuse a loss of the client.
    @Override
    public Set<String> touches() {
      return Set.of("requests of " + client);
    }

    @Override
    public Set<String> disturbs() {
      return Set.of();
    }

    @Override
    public Optional<String> hit() {
      return delivered.isEmpty() ? Optional.empty() : Optional.of(delivered.toString());
    }

    @Override
    public Duration shortest() {
      return Duration.ofSeconds(2);
    }

    @Override
    public Duration longest() {
      return Duration.ofSeconds(15);
    }

    @Override
    public String toString() {
      return "%s %s of %s".formatted(way, lines, client);
    }
  }
}
