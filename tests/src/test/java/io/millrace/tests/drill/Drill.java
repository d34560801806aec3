package io.millrace.tests.drill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient.Listing;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.tests.drill.check.Availability;
import io.millrace.tests.drill.check.ClusterSampler;
import io.millrace.tests.drill.check.NodeLosses;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.Uptime;
import io.millrace.tests.drill.ledger.DrillLedger;
import io.millrace.tests.drill.ledger.LedgerChecker;
import io.millrace.tests.drill.ledger.LedgerReport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** A cluster, its load, and the check after each round of faults. Used by one thread. */
final class Drill implements AutoCloseable {
  /** At least two segments of each queue, so that one node holds none. */
  static final List<String> QUEUES = List.of("orders", "mails");

  private static final String MORTAL = "mails";

  /** The minimum of segments of each queue. */
  static final int SEGMENTS = 2;

  private static final Duration DRAINED_WITHIN = Duration.ofMinutes(3);
  private static final Duration SERVED_WITHIN = Duration.ofSeconds(60);
  private static final int DEAD_AT_ONCE = 1000;
  private static final int EVENTS_AFTER_HEALING = 200;

  private final DrillCluster cluster;
  private final DrillLedger ledger = new DrillLedger();
  private final WeightWatch watch;
  private final ClusterSampler sampler;
  private final List<RoundReport> reports = new ArrayList<>();
  private final LedgerReport nothing = LedgerChecker.of(ledger);
  private LedgerReport last = nothing;

  /** Notified of each killed process and its time since the drill's start. Thread-safe. */
  static final class Crashes implements Consumer<String> {
    private volatile DrillLedger ledger;

    @Override
    public void accept(String process) {
      ledger.crashed(process, System.nanoTime());
    }
  }

  /**
   * Starts the cluster, which is closed with the drill.
   *
   * @param crashes the listener that the cluster notifies
   */
  Drill(DrillCluster cluster, Crashes crashes) throws Exception {
    this.cluster = cluster;
    crashes.ledger = ledger;
    try {
      cluster.start();
      QUEUES.forEach(this::define);
    } catch (RuntimeException | AssertionError e) {
      cluster.close();
      throw e;
    }
    this.watch = new WeightWatch(cluster);
    this.sampler = new ClusterSampler(cluster);
  }

  /**
   * Events of the first queue are always redelivered after a refusal; some of the second become
   * dead letters.
   */
  private void define(String queue) {
    cluster.define(
        queue,
        """
        kind: queue
        name: %s
        minSegments: %d
        maxAttempts: %d
        maxReturns: 1000
        """
            .formatted(queue, SEGMENTS, queue.equals(MORTAL) ? 2 : 1000),
        SEGMENTS);
  }

  DrillCluster cluster() {
    return cluster;
  }

  WeightWatch watch() {
    return watch;
  }

  /** The faults of a round. */
  interface Trouble {
    /** Blocks until it is over; returns a description for the report. */
    String happen() throws Exception;
  }

  /**
   * One round: load, faults, recovery, a full drain, the check.
   *
   * @throws AssertionError when something was lost or a rule was broken
   */
  RoundReport round(String name, SplittableRandom random, Trouble trouble) throws Exception {
    double from = Uptime.now();
    try (Load load = new Load(name, cluster, QUEUES, ledger, random)) {
      awaitService(load);
      ledger.sending().begin(System.nanoTime());
      String what = trouble.happen();
      cluster.links().heal();
      cluster.awaitEverybody();
      awaitService(load);
      Duration gap = ledger.sending().end(System.nanoTime());
      load.stopSending();
      load.acknowledgeAll();
      long began = System.nanoTime();
      awaitDrained();
      Duration drained = Duration.ofNanos(System.nanoTime() - began);
      load.stopConsuming();
      noteDead();
      LedgerReport verdict = LedgerChecker.of(ledger);
      RoundReport report = new RoundReport(name, what, last, verdict, gap, drained);
      reports.add(report);
      last = verdict;
      System.out.println(report);
      require(verdict);
      requireNoHealthyNodeLost(from);
      return report;
    }
  }

  private void noteDead() {
    await("every dead letter is listed")
        .atMost(SERVED_WITHIN)
        .ignoreExceptionsMatching(MillraceException.class::isInstance)
        .until(this::listDead);
  }

  private boolean listDead() {
    String before = null;
    do {
      Listing<DeadEvent> part =
          cluster.central("c1").deadLetters().list(MORTAL, DEAD_AT_ONCE, before);
      if (!part.unreached().isEmpty()) {
        return false;
      }
      part.found().forEach(one -> ledger.dead(one.node(), one.id()));
      before = part.next();
    } while (before != null);
    return true;
  }

  private void requireNoHealthyNodeLost(double from) {
    Availability availability =
        new Availability(cluster.timeline().all(), cluster.shape().centralNames());
    assertThat(NodeLosses.ofNodes(sampler.since(from), availability, NodeLosses.QUEUE_NODES))
        .as("injected: %s", cluster.timeline().all())
        .isEmpty();
  }

  /** Events are accepted again. */
  private void awaitService(Load load) {
    long before = ledger.stored();
    await("events are acknowledged")
        .atMost(SERVED_WITHIN)
        .until(
            () -> {
              load.requireRunning();
              return ledger.stored() >= before + EVENTS_AFTER_HEALING;
            });
  }

  private void awaitDrained() {
    await("every segment is empty")
        .atMost(DRAINED_WITHIN)
        .ignoreExceptionsMatching(MillraceException.class::isInstance)
        .untilAsserted(() -> assertThat(unfinished()).isEmpty());
  }

  private List<String> unfinished() {
    List<String> unfinished = new ArrayList<>();
    for (String node : cluster.shape().queueNodeNames()) {
      for (String queue : QUEUES) {
        figures(node, queue)
            .filter(one -> one.unfinished() > 0 || (one.dead() > 0 && !queue.equals(MORTAL)))
            .ifPresent(
                one ->
                    unfinished.add(
                        "%s on %s: %d waiting, %d delayed, %d leased, %d dead"
                            .formatted(
                                queue,
                                node,
                                one.waiting(),
                                one.delayed(),
                                one.leased(),
                                one.dead())));
      }
    }
    return unfinished;
  }

  private Optional<SegmentFigures> figures(String node, String queue) {
    try {
      return Optional.of(cluster.node(node).figures(queue));
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.UNKNOWN_SEGMENT) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private void require(LedgerReport verdict) {
    assertThat(verdict.lost()).as("acknowledged but never processed").isEmpty();
    assertThat(verdict.unexpected()).as("delivered but never sent").isEmpty();
    assertThat(verdict.refusedButDelivered()).as("refused but delivered").isEmpty();
    assertThat(verdict.early()).as("delivered before the end of their delay").isEmpty();
    assertThat(verdict.broken()).as("repeated deliveries without an allowed cause").isEmpty();
    assertThat(verdict.twice())
        .as("acknowledged twice, or acknowledged and a dead letter")
        .isEmpty();
    assertThat(watch.violations()).as("weight rows").isEmpty();
  }

  /** A summary of all rounds in one line. */
  String summary() {
    Duration gap =
        reports.stream().map(RoundReport::gap).max(Duration::compareTo).orElse(Duration.ZERO);
    return "drill: %d rounds, %d events sent, %d acknowledged, %d delivered, %d dead, %d of unknown outcome stored, %d lost, repeated {%s}, longest gap %.1fs, %d reads of weight rows"
        .formatted(
            reports.size(),
            last.sent(),
            last.acknowledged(),
            last.deliveries(),
            last.dead(),
            last.recovered(),
            last.lost().size(),
            RoundReport.repeated(nothing, last),
            gap.toMillis() / 1e3,
            watch.looks());
  }

  @Override
  public void close() throws IOException {
    try (cluster) {
      watch.close();
      sampler.close();
    }
  }
}
