package io.millrace.tests.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.insight.QueueView;
import io.millrace.api.job.JobView;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.tests.process.SeparateRoles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The overload that ended the published test (H-214, B.58 to B.60): the writer of the only queue
 * node becomes slow, its connections stay open, and weight cannot be moved elsewhere. In that test
 * the manager raised its rate, which made it worse; here the number of workers must decrease, and
 * once the writer has recovered the backlog must be processed without an operator and without more
 * workers than necessary.
 */
final class Overload {
  /** Configuration lines for the queue node q1. */
  static final String SLOW_NODE =
      """
      writeDelay: 400ms
      writeDelayWhile: slow
      """;

  private static final Path SWITCH = Path.of("slow");
  private static final Duration USUAL_TICK = Duration.ofSeconds(5);
  private static final int USUAL_MINUTES = 10;
  private static final Duration BACK_WITHIN = Duration.ofMinutes(3);
  private static final int BATCH = 20;

  private final SeparateRoles roles;
  private final PacedQueue queue;
  private final Results results;
  private final Duration tick;
  private final Duration length;
  private final int rate;

  /**
   * Ten minutes at the default tick, or proportionally less at a shorter tick.
   *
   * @param rate events per second
   */
  Overload(SeparateRoles roles, Duration tick, int rate) throws IOException {
    this.roles = roles;
    this.queue = new PacedQueue(roles.central(), "overloaded");
    this.results = new Results(roles.folder(queue.name()));
    this.tick = tick;
    this.length =
        Duration.ofMinutes(USUAL_MINUTES)
            .multipliedBy(tick.toMillis())
            .dividedBy(USUAL_TICK.toMillis());
    this.rate = rate;
  }

  void play() throws IOException, InterruptedException {
    roles.define(
        queue.name(),
        """
        kind: queue
        name: %s
        batch: %d
        pacing: {tick: %dms, waitTarget: %dms}
        worker: {command: %s}
        """
            .formatted(
                queue.name(),
                BATCH,
                tick.toMillis(),
                tick.toMillis(),
                results.worker(tick.toMillis() / 1e3)));
    try (SteadyLoad load = SteadyLoad.start(roles.producer(), queue.name(), rate)) {
      int usual = atWork(length.dividedBy(4));
      Instant begun = slow();
      int most = atWork(length);
      Instant ended = quick();
      double leastSeconds = backToUsual(ended);
      Set<String> sent = load.stop();
      judge(begun, ended, usual, most, leastSeconds, sent);
    }
  }

  private Instant slow() throws IOException {
    assertThat(node().load().state()).isIn(NodeState.NORMAL, NodeState.BUSY);
    Files.createFile(file());
    await("the node is TOOBUSY")
        .atMost(BACK_WITHIN)
        .until(() -> node().load().state() == NodeState.TOOBUSY);
    return now();
  }

  private Instant quick() throws IOException {
    assertThat(node().load().state()).isEqualTo(NodeState.TOOBUSY);
    Instant now = now();
    Files.delete(file());
    return now;
  }

  private Path file() throws IOException {
    return roles.folder(".").resolve(SWITCH).normalize();
  }

  private Instant now() {
    return roles.central().explain(queue.name(), null, Duration.ofMinutes(1), 0).at();
  }

  private QueueNodeView node() {
    return roles.central().overview().queueNodes().get(0);
  }

  /**
   * Observes for that long; returns the maximum number of outstanding workers in the second half.
   */
  private int atWork(Duration time) {
    long begun = System.nanoTime();
    int[] most = {0};
    await()
        .pollInterval(Duration.ofMillis(100))
        .atMost(time.plus(BACK_WITHIN))
        .until(
            () -> {
              Duration passed = Duration.ofNanos(System.nanoTime() - begun);
              int outstanding = queue.outstanding();
              if (passed.compareTo(time.dividedBy(2)) > 0) {
                most[0] = Math.max(most[0], outstanding);
              }
              return passed.compareTo(time) > 0;
            });
    return most[0];
  }

  /** Waits until the backlog is no larger than what arrives within a few ticks. */
  private double backToUsual(Instant ended) {
    await("the backlog is processed")
        .atMost(length.plus(BACK_WITHIN))
        .pollInterval(Duration.ofMillis(200))
        .until(() -> node().load().state() == NodeState.NORMAL && caughtUp());
    return Duration.between(ended, now()).toMillis() / 1e3;
  }

  private boolean caughtUp() {
    QueueView view = queue.view();
    return view.waiting() <= Math.max(2L * BATCH, 3L * rate * tick.toMillis() / 1000);
  }

  private void judge(
      Instant begun, Instant ended, int usual, int most, double seconds, Set<String> sent)
      throws IOException {
    queue.awaitDone(sent.size());
    List<String> done = results.ids();
    assertThat(new HashSet<>(done)).as("events that workers received").isEqualTo(sent);
    assertThat(queue.view().dead()).isZero();

    List<PacingDecisionView> decisions = queue.decisions();
    List<JobView> workers = queue.workers();
    PacingDecisionView firstAfter = last(decisions, ended);
    double backlog = firstAfter.inputs().get("waiting");
    long after = workers.stream().filter(job -> job.submittedAt().isAfter(firstAfter.at())).count();
    double needed = (backlog + sent.size() - firstAfter.inputs().get("inserted")) / BATCH;
    long during =
        workers.stream()
            .filter(job -> job.submittedAt().isAfter(begun) && job.submittedAt().isBefore(ended))
            .count();
    Set<String> gates =
        decisions.stream()
            .filter(one -> one.at().isAfter(begun) && one.at().isBefore(ended))
            .map(PacingDecisionView::gate)
            .collect(Collectors.toSet());
    System.out.printf(
        Locale.ROOT,
        "overload of %s at a tick of %s: at most %d workers before and %d during it; %d started"
            + " during it, %.0f events waited at its end; caught up after %.1f s; %d workers from"
            + " then on, %.1f needed; %d events, %d delivered again; gates %s%n",
        length,
        tick,
        usual,
        most,
        during,
        backlog,
        seconds,
        after,
        needed,
        sent.size(),
        done.size() - sent.size(),
        gates);
    assertThat(most).as("concurrent workers during the overload").isLessThanOrEqualTo(usual);
    assertThat(during).as("workers for an overloaded node").isPositive();
    assertThat(gates).contains("NODE_TOOBUSY");
    assertThat(decisions)
        .filteredOn(one -> one.gate().equals("NODE_TOOBUSY"))
        .allSatisfy(one -> assertThat(one.reason()).contains("the node is TOOBUSY"));
    assertThat(backlog).as("backlog caused by the overload").isGreaterThan(3.0 * rate);
    assertThat((double) after)
        .as("workers after the overload")
        .isLessThanOrEqualTo(1.2 * needed + 5);
  }

  private static PacingDecisionView last(List<PacingDecisionView> decisions, Instant before) {
    return decisions.stream()
        .filter(one -> !one.at().isAfter(before))
        .reduce((earlier, later) -> later)
        .orElseThrow();
  }
}
