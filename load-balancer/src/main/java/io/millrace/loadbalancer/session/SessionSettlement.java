package io.millrace.loadbalancer.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.loadbalancer.forward.Batch;
import io.millrace.loadbalancer.session.NodeTurn.TurnCalls;
import io.millrace.loadbalancer.session.SlotDirectory.SlotOwners;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * Gets the events of one body to the owners of their slots, in rounds: in each, every owner gets
 * all events of its slots that are not settled, and the round is over when all have answered. No
 * event is sent before all earlier ones of its key are stored or go with it in the same request.
 * Used by one thread; blocks.
 */
final class SessionSettlement {
  private final SlotDirectory directory;
  private final TurnCalls calls;
  private final Consumer<Collection<NodeTurn>> runner;
  private final Semaphore places;
  private final SettlementLimits limits;
  private final Batch batch;
  private final SessionOutcome outcome;
  private final long begin;
  // Those that are neither stored nor refused, in order.
  private List<RoutedEvent> open = List.of();
  private boolean waits;

  /**
   * A settlement that begins now.
   *
   * @param runner runs turns, several at a time, and returns when all are over
   * @param places limits how many requests wait for owners
   * @param outcome to which is added what becomes of the events
   */
  SessionSettlement(
      SlotDirectory directory,
      TurnCalls calls,
      Consumer<Collection<NodeTurn>> runner,
      Semaphore places,
      SettlementLimits limits,
      Batch batch,
      SessionOutcome outcome) {
    this.directory = directory;
    this.calls = calls;
    this.runner = runner;
    this.places = places;
    this.limits = limits;
    this.batch = batch;
    this.outcome = outcome;
    this.begin = calls.clock().nanoTime();
  }

  /** Returns when each event is stored or refused, which the outcome says. */
  void settle(List<RoutedEvent> events) {
    open = events;
    try {
      note();
      Duration pause = limits.firstPause();
      while (!open.isEmpty()) {
        SlotOwners owners = directory.of(batch.queue());
        round(owners);
        note();
        if (!open.isEmpty() && waits) {
          await(owners, pause);
          pause = shorter(pause.multipliedBy(2), limits.longestPause());
        }
      }
    } catch (MillraceException closed) {
      open.stream()
          .filter(event -> !event.isStored())
          .forEach(event -> refuse(event, event.unknown() > 0 ? event.givenUp() : closed));
    } finally {
      if (waits) {
        places.release();
      }
    }
  }

  private void round(SlotOwners owners) {
    Map<String, NodeTurn> turns = new TreeMap<>();
    long deadline = begin + limits.longest().toNanos();
    for (RoutedEvent event : open) {
      String node = owners.owner(event.slot()).node();
      turns
          .computeIfAbsent(node, name -> new NodeTurn(calls, batch, name, owners, deadline))
          .add(event);
    }
    try {
      runner.accept(turns.values());
    } finally {
      for (NodeTurn turn : turns.values()) {
        if (turn.stored() > 0) {
          outcome.stored(turn.node(), turn.stored(), turn.repeated());
        }
      }
    }
  }

  /** Keeps only the events that are to be sent again. */
  private void note() {
    if (!waits && open.stream().anyMatch(event -> event.tries() > 0)) {
      waits = places.tryAcquire();
    }
    long now = calls.clock().nanoTime();
    Set<String> kept = new HashSet<>();
    List<RoutedEvent> left = new ArrayList<>();
    for (RoutedEvent event : open) {
      if (event.isStored()) {
        continue;
      }
      Optional<RefusedEvent> earlier = outcome.refusalBefore(event.index(), event.key());
      if (earlier.isPresent()) {
        refuse(event, following(earlier.get()));
      } else if (event.refusal() != null) {
        refuse(event, event.refusal());
      } else if (!kept.contains(event.key()) && isOver(event, now)) {
        refuse(event, event.givenUp());
      } else {
        kept.add(event.key());
        left.add(event);
      }
    }
    open = left;
  }

  /**
   * Whether an event is not sent again. Asked again at least once, since a round may last longer
   * than the patience: the node of other events may not answer.
   */
  private boolean isOver(RoutedEvent event, long now) {
    if (event.tries() == 0) {
      return false;
    }
    if (event.unknown() > 1 || now - begin >= limits.longest().toNanos()) {
      return true;
    }
    return waits
        ? event.tries() > 1 && now - event.since() >= limits.patience().toNanos()
        : event.unknown() == 0 || event.tries() > 1;
  }

  private void await(SlotOwners owners, Duration pause) {
    try {
      directory.awaitOther(owners, pause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(
          ErrorCode.UNAVAILABLE, "this load balancer is stopping; use another one", e);
    }
  }

  private void refuse(RoutedEvent event, MillraceException problem) {
    outcome.refuse(event.refusedAs(problem.code(), problem.getMessage()));
  }

  private static MillraceException following(RefusedEvent earlier) {
    String why = "an earlier event of its key, " + earlier.id() + ", is refused: ";
    return new MillraceException(earlier.code(), why + earlier.message());
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /**
   * What a settlement may take.
   *
   * @param mostWaiting requests that wait for owners at a time; others are refused at once, so that
   *     ordinary ones find threads and memory while a node is away
   * @param patience how long an owner that is not reached, or has just lost its slot, is waited for
   * @param longest for one body; shorter than clients wait for an answer
   * @param firstPause before the second attempt, unless the topology changes; then doubled
   * @param longestPause the most
   */
  record SettlementLimits(
      int mostWaiting,
      Duration patience,
      Duration longest,
      Duration firstPause,
      Duration longestPause) {
    static final SettlementLimits USUAL =
        new SettlementLimits(
            64,
            Duration.ofSeconds(5),
            Duration.ofSeconds(25),
            Duration.ofMillis(50),
            Duration.ofMillis(800));
  }
}
