package io.millrace.tests.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.Durations;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.node.AttemptReport;
import io.millrace.api.node.AttemptReport.ReportRequest;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.tests.process.SeparateRoles;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A queue manager that dies under load is followed by one that continues from its record (H-217)
 * and does not overshoot (B.62): in the first minute, scaled here to 36 seconds by shorter ticks,
 * it starts no more workers than the waiting and arriving events require. Queue managers run inside
 * their execution node, so that kill -9 also kills workers. Before each death the events come as
 * fast as this machine can carry them, at most {@value #RATE} a second. More rounds: {@code
 * -Dpacing.rounds=N}; a real minute at the usual tick: {@code -Dpacing.tick=5s}.
 */
@Tag("drill")
class KilledQueueManagerTest {
  private static final int ROUNDS = Integer.getInteger("pacing.rounds", 1);
  private static final Duration TICK = tick();
  private static final Duration FIRST_MINUTE = TICK.multipliedBy(12);
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final String SLOTS = "slots: 32\n";
  private static final int BATCH = 20;
  private static final int RATE = 150;
  private static final int LOWEST_RATE = 15;
  private static final Duration SETTLES_WITHIN = Duration.ofSeconds(60);

  @RegisterExtension
  static final SeparateRoles ROLES = new SeparateRoles(1, 2, Map.of("e1", SLOTS, "e2", SLOTS));

  @Test
  void theSuccessorStartsNoMoreWorkersThanTheEventsRequire() throws Exception {
    PacedQueue queue = new PacedQueue(ROLES.central(), "bereft");
    Results results = new Results(ROLES.folder(queue.name()));
    ROLES.define(
        queue.name(),
        """
        kind: queue
        name: %s
        batch: %d
        lease: 3s
        pacing: {tick: %dms, waitTarget: %dms, maxStarting: 1000, maxWorkers: 1000}
        worker: {command: %s}
        """
            .formatted(
                queue.name(),
                BATCH,
                TICK.toMillis(),
                TICK.toMillis(),
                results.worker(TICK.toMillis() / 1e3)));
    try (SteadyLoad load = SteadyLoad.start(ROLES.producer(), queue.name(), RATE)) {
      for (int round = 1; round <= ROUNDS; round++) {
        AttemptId stopped = steady(queue, load);
        declareLost(stopped);
        judge("declared lost", queue, stopped);
        AttemptId killed = steady(queue, load);
        String node = ROLES.central().job(killed.job()).job().node();
        ROLES.kill(node);
        judge("kill -9 of its node", queue, killed);
        ROLES.start(node);
        ROLES.awaitEveryNode();
      }
      Set<String> sent = load.stop();
      queue.awaitDone(sent.size());
      assertThat(new HashSet<>(results.ids())).as("events that workers received").isEqualTo(sent);
      assertThat(queue.view().dead()).isZero();
    }
  }

  /**
   * Waits until a manager keeps up with the load; returns its attempt. A load that workers cannot
   * keep up with, because the machine is too busy to start them, shows nothing about its pacing: it
   * is halved.
   */
  private static AttemptId steady(PacedQueue queue, SteadyLoad load) {
    while (true) {
      try {
        await("the backlog of %.0f events a second is processed".formatted(load.rate()))
            .atMost(SETTLES_WITHIN)
            .pollInterval(Duration.ofMillis(200))
            .until(
                () ->
                    queue.decisions(queue.manager()).size() >= 4
                        && queue.view().waiting() < 2 * load.rate() * TICK.toMillis() / 1000);
        return queue.manager();
      } catch (ConditionTimeoutException tooFast) {
        if (load.rate() / 2 < LOWEST_RATE) {
          throw tooFast;
        }
        load.halve();
      }
    }
  }

  /**
   * The central manager declares it lost although its node continues to run it: to the manager this
   * is the same as a crash.
   */
  private static void declareLost(AttemptId attempt) {
    String node = ROLES.central().job(attempt.job()).job().node();
    AttemptReport lost =
        AttemptReport.ended(attempt, AttemptResult.lost("no trace of its end was found"), 1, 0);
    ExecutionNodeView holder =
        ROLES.central().executionNodes().stream()
            .filter(one -> one.name().equals(node))
            .findFirst()
            .orElseThrow();
    assertThat(
            ROLES.as(holder.name()).report(holder.id(), new ReportRequest(List.of(lost))).refused())
        .isEmpty();
  }

  private static void judge(String death, PacedQueue queue, AttemptId dead) {
    long died = System.nanoTime();
    AttemptId next =
        await("the next attempt after " + dead)
            .atMost(LONG)
            .pollInterval(Duration.ofMillis(100))
            .until(queue::manager, manager -> !manager.equals(dead));
    await("its first decision").atMost(LONG).until(() -> !queue.decisions(next).isEmpty());
    double away = (System.nanoTime() - died) / 1e9;
    PacingDecisionView first = queue.decisions(next).get(0);
    Instant end = first.at().plus(FIRST_MINUTE);
    List<PacingDecisionView> minute =
        await("the first minute of " + next)
            .atMost(FIRST_MINUTE.plus(LONG))
            .pollInterval(Duration.ofMillis(200))
            .until(() -> queue.decisions(next), all -> all.get(all.size() - 1).at().isAfter(end))
            .stream()
            .filter(one -> !one.at().isAfter(end))
            .toList();
    PacingDecisionView last = minute.get(minute.size() - 1);
    double events =
        first.inputs().get("waiting")
            + last.inputs().get("inserted")
            - first.inputs().get("inserted");
    double needed = events / BATCH;
    // The jobs of a decision are slightly older than it, and newer than any earlier decision.
    List<PacingDecisionView> before = queue.decisions(dead);
    Instant silent = before.get(before.size() - 1).at();
    int started = queue.workers(silent, last.at()).size();
    System.out.printf(
        Locale.ROOT,
        "queue manager %s: %s, decided again after %.1f s with %.0f waiting; in its first %s %.0f"
            + " events, %.1f workers needed, %d started%n",
        dead,
        death,
        away,
        first.inputs().get("waiting"),
        FIRST_MINUTE,
        events,
        needed,
        started);
    assertThat(minute.stream().mapToInt(PacingDecisionView::start).sum())
        .as("decided workers are the submitted ones")
        .isEqualTo(started);
    assertThat((double) started)
        .as(() -> death + "; its decisions:\n" + describe(minute))
        .isLessThanOrEqualTo(1.10 * needed + 1);
    assertThat((double) started).as("it keeps up").isGreaterThan(0.5 * needed);
  }

  private static String describe(List<PacingDecisionView> decisions) {
    return decisions.stream()
        .map(one -> one.at() + " " + one.start() + ": " + one.reason() + " " + one.inputs())
        .collect(Collectors.joining("\n"));
  }

  private static Duration tick() {
    return Durations.parse(System.getProperty("pacing.tick", "3s"));
  }
}
