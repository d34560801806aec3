package io.millrace.loadbalancer.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.loadbalancer.forward.Batch;
import io.millrace.loadbalancer.forward.BatchCall;
import io.millrace.loadbalancer.forward.ForwardMeters;
import io.millrace.loadbalancer.forward.Targets.ForwardTarget;
import io.millrace.loadbalancer.session.SlotDirectory.SlotOwners;
import io.millrace.platform.clock.Clock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to get events to the node that has their slots, in requests of bounded size, one
 * after the other. After an event that its node has not stored, no later one of its key is sent;
 * after a request without a clear answer, nothing more. Used by one thread; blocks.
 */
final class NodeTurn implements Runnable {
  private static final Logger LOGGER = LoggerFactory.getLogger(NodeTurn.class);
  private static final int MAX_EVENTS = 1_000;
  private static final int MAX_BYTES = 1 << 20;

  private final TurnCalls calls;
  private final Batch batch;
  private final String node;
  private final SlotOwners owners;
  private final long deadline;
  private final List<RoutedEvent> events = new ArrayList<>();
  // Keys of which an event was not stored in this turn.
  private final Set<String> held = new HashSet<>();
  private int next;
  private int stored;
  private boolean repeated = true;

  /**
   * A turn without events.
   *
   * @param batch whose queue and name the requests have
   * @param deadline monotonic nanoseconds after which nothing is awaited
   */
  NodeTurn(TurnCalls calls, Batch batch, String node, SlotOwners owners, long deadline) {
    this.calls = calls;
    this.batch = batch;
    this.node = node;
    this.owners = owners;
    this.deadline = deadline;
  }

  /** Adds an event after those before it; not while it runs. */
  void add(RoutedEvent event) {
    events.add(event);
  }

  String node() {
    return node;
  }

  /** How many events the node has acknowledged. */
  int stored() {
    return stored;
  }

  /** Whether it had stored all of them before. */
  boolean repeated() {
    return repeated;
  }

  /** Sends the events and notes in each what has become of it. */
  @Override
  public void run() {
    Optional<ForwardTarget> target = owners.target(node);
    if (target.isEmpty()) {
      failed(
          events,
          new MillraceException(
              ErrorCode.UNAVAILABLE,
              "queue node "
                  + node
                  + ", which has the sessions of the event's key, is not registered"));
      return;
    }
    while (next < events.size()) {
      Optional<MillraceException> broken = sendSome(target.get());
      if (broken.isPresent()) {
        failed(events.subList(next, events.size()), broken.get());
        return;
      }
    }
  }

  /** Sends the next request; if the node can not be asked any more, why. */
  private Optional<MillraceException> sendSome(ForwardTarget target) {
    List<RoutedEvent> some = new ArrayList<>();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    int stale = 0;
    while (next < events.size() && some.size() < MAX_EVENTS && body.size() < MAX_BYTES) {
      RoutedEvent event = events.get(next++);
      if (!held.contains(event.key())) {
        some.add(event);
        stale += event.isStale() ? 1 : 0;
        event.writeTo(body, owners.owner(event.slot()).epoch());
      }
    }
    if (some.isEmpty()) {
      return Optional.empty();
    }
    if (stale > 0) {
      calls.meters().staleRetried(batch.queue(), stale);
    }
    Batch part =
        new Batch(batch.queue(), batch.name(), true, EventMedia.ENVELOPES, "", body.toByteArray());
    return send(part, some, target);
  }

  private Optional<MillraceException> send(
      Batch part, List<RoutedEvent> some, ForwardTarget target) {
    Duration rest = Duration.ofNanos(deadline - calls.clock().nanoTime());
    if (rest.isNegative() || rest.isZero()) {
      MillraceException late = BatchCall.unreachable(node, null);
      failed(some, late);
      return Optional.of(late);
    }
    try {
      HttpAnswer answer =
          calls
              .call()
              .send(part, target, rest.compareTo(BatchCall.TIMEOUT) < 0 ? rest : BatchCall.TIMEOUT);
      if (answer.ok()) {
        return receipt(answer, part, some);
      }
      return problem(BatchCall.problemOf(answer), some, target);
    } catch (NothingSentException e) {
      MillraceException unreachable = BatchCall.unreachable(node, e);
      failed(some, unreachable);
      return Optional.of(unreachable);
    } catch (IOException e) {
      return unknown(some, e);
    }
  }

  private Optional<MillraceException> problem(
      MillraceException problem, List<RoutedEvent> some, ForwardTarget target) {
    if (problem.code() == ErrorCode.TIMEOUT) {
      return unknown(some, problem);
    }
    if (problem.code() == ErrorCode.STORE_FAILURE || problem.code() == ErrorCode.INTERNAL) {
      // What was written before the failure may be on the disk.
      long now = calls.clock().nanoTime();
      some.forEach(event -> event.unanswered(problem, now));
      return Optional.of(problem);
    }
    MillraceException reason =
        BatchCall.isOfLoadBalancer(problem) ? BatchCall.refusesUs(target, problem) : problem;
    some.forEach(event -> refused(event, reason));
    return passes(reason.code()) && reason.code() != ErrorCode.STALE_SLOT
        ? Optional.of(reason)
        : Optional.empty();
  }

  private Optional<MillraceException> unknown(List<RoutedEvent> some, Exception cause) {
    MillraceException problem =
        new MillraceException(ErrorCode.TIMEOUT, "queue node " + node + " did not answer", cause);
    long now = calls.clock().nanoTime();
    some.forEach(event -> event.unanswered(problem, now));
    return Optional.of(BatchCall.unreachable(node, cause));
  }

  private void failed(List<RoutedEvent> some, MillraceException problem) {
    long now = calls.clock().nanoTime();
    some.forEach(event -> event.failed(problem, now));
  }

  /** A node that answers with anything but what became of each event may or may not have it. */
  private Optional<MillraceException> receipt(
      HttpAnswer answer, Batch part, List<RoutedEvent> some) {
    SendAnswer receipt = read(answer);
    Map<Integer, RefusedEvent> refused = receipt == null ? Map.of() : byIndex(receipt, some);
    if (receipt == null
        || !receipt.queue().equals(part.queue())
        || !receipt.batch().equals(part.name())
        || refused.size() != receipt.refused().size()
        || receipt.accepted() != some.size() - refused.size()) {
      LOGGER.warn(
          "queue node {} answers batch {} of queue {} without its receipt",
          node,
          part.name(),
          part.queue());
      return unknown(some, null);
    }
    for (int i = 0; i < some.size(); i++) {
      RefusedEvent refusal = refused.get(i);
      if (refusal == null) {
        some.get(i).stored();
      } else {
        refused(some.get(i), new MillraceException(refusal.code(), refusal.message()));
      }
    }
    if (receipt.accepted() > 0) {
      stored += receipt.accepted();
      repeated &= receipt.repeated();
      calls.meters().stored(part, node, receipt);
    }
    return Optional.empty();
  }

  private SendAnswer read(HttpAnswer answer) {
    try {
      SendAnswer receipt = answer.as(SendAnswer.class);
      return receipt == null || receipt.queue() == null || receipt.batch() == null ? null : receipt;
    } catch (MillraceException unreadable) {
      LOGGER.debug("the answer of queue node {} is unreadable", node, unreadable);
      return null;
    }
  }

  /** Without those that are none of the request's events. */
  private static Map<Integer, RefusedEvent> byIndex(SendAnswer receipt, List<RoutedEvent> some) {
    Map<Integer, RefusedEvent> refused = new HashMap<>();
    for (RefusedEvent event : receipt.refused()) {
      boolean known =
          event.index() >= 0
              && event.index() < some.size()
              && some.get(event.index()).id().equals(event.id())
              && event.code() != null;
      if (known) {
        refused.put(event.index(), event);
      }
    }
    return refused;
  }

  private void refused(RoutedEvent event, MillraceException problem) {
    held.add(event.key());
    if (passes(problem.code())) {
      event.failed(problem, calls.clock().nanoTime());
    } else {
      event.refused(problem);
    }
  }

  /**
   * Whether the owner may accept later what it refuses now, without anybody doing anything: it is
   * starting or stopping, or does not know yet what this load balancer knows, or the reverse.
   */
  private static boolean passes(ErrorCode code) {
    return switch (code) {
      case STALE_SLOT, UNAVAILABLE, NO_SEGMENT, UNKNOWN_QUEUE, UNKNOWN_SEGMENT -> true;
      default -> false;
    };
  }

  /** What a turn works with. */
  record TurnCalls(BatchCall call, ForwardMeters meters, Clock clock) {}
}
