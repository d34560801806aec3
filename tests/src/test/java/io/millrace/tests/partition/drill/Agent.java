package io.millrace.tests.partition.drill;

import static org.awaitility.Awaitility.await;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.PartitionCoordinator;
import io.millrace.api.partition.NextRequest.NextAnswer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * An agent that polls its share of the resources in each cycle until it is ordered to leave, to
 * vanish or to freeze for a while. The drill sends its heartbeats; one thread at a time polls.
 */
final class Agent {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final int BATCH = 100;
  private static final Set<ErrorCode> UNANSWERED =
      Set.of(ErrorCode.UNREACHABLE, ErrorCode.UNAVAILABLE);

  /** The next action of an agent. */
  enum Order {
    POLL,
    LEAVE,
    VANISH,
    FREEZE
  }

  private final String name;
  private final PartitionCoordinator coordinator;
  private volatile Order order = Order.POLL;
  private volatile List<String> dropped = List.of();
  private final CountDownLatch thawed = new CountDownLatch(1);

  Agent(String name, PartitionCoordinator coordinator) {
    this.name = name;
    this.coordinator = coordinator;
  }

  String name() {
    return name;
  }

  void order(Order given) {
    order = given;
  }

  /** Sends a heartbeat, unless it has vanished or left. */
  void beat() {
    if (order == Order.POLL) {
      try {
        coordinator.beat();
      } catch (IllegalStateException | MillraceException e) {
        // It has just left, or the machine was stalled; the heartbeats of the others continue.
      }
    }
  }

  /** The resources assigned to it when it vanished. */
  List<String> dropped() {
    return dropped;
  }

  NextAnswer begin(List<String> resources, Duration interval) {
    return answered(() -> coordinator.begin(resources, interval, BATCH));
  }

  /** Polls until the cycle is finished or the agent is gone. */
  void poll(CycleJournal journal, List<String> resources, Duration interval) {
    NextAnswer answer = begin(resources, interval);
    while (!answer.finished()) {
      if (order == Order.VANISH) {
        vanish(journal, answer.resources());
        return;
      }
      if (order == Order.FREEZE) {
        freeze(journal, answer);
        return;
      }
      answer.resources().forEach(one -> journal.polled(name, one));
      if (order == Order.LEAVE) {
        coordinator.next(answer, 0);
        leave();
        return;
      }
      answer = next(answer);
    }
    if (order == Order.LEAVE) {
      leave();
    }
  }

  private NextAnswer next(NextAnswer polled) {
    NextAnswer given = answered(() -> coordinator.next(polled, BATCH));
    if (goesOn(given)) {
      return given;
    }
    // The rest is assigned to other agents, and to this one if they are lost.
    return await()
        .atMost(LONG)
        .pollInterval(PAUSE)
        .until(() -> answered(() -> coordinator.next(given, BATCH)), this::goesOn);
  }

  /**
   * Repeats a request without an answer, as agents must: an agent that gave up would keep its
   * assigned resources, because its heartbeats continue.
   */
  private static NextAnswer answered(Supplier<NextAnswer> request) {
    long begin = System.nanoTime();
    while (true) {
      try {
        return request.get();
      } catch (MillraceException e) {
        if (!UNANSWERED.contains(e.code()) || System.nanoTime() - begin > LONG.toNanos()) {
          throw e;
        }
      }
    }
  }

  private boolean goesOn(NextAnswer answer) {
    return answer.finished() || !answer.resources().isEmpty() || order != Order.POLL;
  }

  /** Dies in the middle of a batch: some of it is polled, nothing is reported. */
  private void vanish(CycleJournal journal, List<String> hands) {
    hands.subList(0, hands.size() / 2).forEach(one -> journal.polled(name, one));
    dropped = hands;
  }

  /** Freezes in the middle of a batch; then polls the rest and reports it, too late. */
  private void freeze(CycleJournal journal, NextAnswer answer) {
    List<String> hands = answer.resources();
    hands.subList(0, hands.size() / 2).forEach(one -> journal.polled(name, one));
    dropped = hands;
    try {
      if (!thawed.await(LONG.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError(name + " was never thawed");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    hands.subList(hands.size() / 2, hands.size()).forEach(one -> journal.polled(name, one));
    coordinator.next(answer, 0);
  }

  /** Resumes it after FREEZE. */
  void thaw() {
    thawed.countDown();
  }

  void leave() {
    order = Order.LEAVE;
    coordinator.close();
  }
}
