package io.millrace.executor.batch;

import io.millrace.api.event.EventResult;
import io.millrace.api.event.LeaseRequest.DeliveredEvent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The events that a worker has not answered yet, at most so many. Not thread-safe; no clock and no
 * calls.
 *
 * <p>Queue nodes charge a failure to an event that was leased by itself, and deliver an event by
 * itself once it is under suspicion. So an event that was leased by itself is alone in the window:
 * it waits until the others are answered, and others wait for it.
 *
 * <p>Producers choose IDs. While the worker has an event, another one with its ID waits, because
 * one answer would count for both. It stays leased meanwhile: a lease that expires is charged to
 * the event, which would become a dead letter that no worker has seen.
 */
final class StreamWindow {
  private static final int FEWEST_AT_ONCE = 2;
  private static final int SHARE_AT_ONCE = 4;

  private final int size;
  private final Map<String, Given> open = new LinkedHashMap<>();
  // Still in the hands of the worker, but delivered again by the queue node.
  private final Map<String, Given> dropped = new HashMap<>();
  private final List<Answered> answered = new ArrayList<>();
  // Not given to the worker, because it had another event of the same id; the first one first.
  private final List<DeliveredEvent> sameIds = new ArrayList<>();
  private DeliveredEvent waiting;
  private boolean single;

  /**
   * An event in the hands of the worker.
   *
   * @param receipt of its last delivery
   * @param since offset in the worker's output from which an answer to it can be
   */
  record Given(String receipt, long since) {
    Given again(String next) {
      return new Given(next, since);
    }
  }

  /**
   * An event whose result is still to be reported to the queue node.
   *
   * @param receipt of its last delivery
   * @param result the worker's answer
   * @param since as of the event
   */
  record Answered(String receipt, EventResult result, long since) {}

  StreamWindow(int size) {
    this.size = size;
  }

  /** An event that an earlier agent gave to the worker. */
  void restore(String id, Given given) {
    open.put(id, given);
  }

  /** How many events may be leased now; 0 for none. */
  int room() {
    if (waiting != null) {
      return 0;
    }
    if (isEmpty() && sameIds.isEmpty()) {
      return size;
    }
    int room = size - open.size() - answered.size() - sameIds.size();
    // Those leased one by one would have to be alone.
    return single || room < Math.max(FEWEST_AT_ONCE, size / SHARE_AT_ONCE) ? 0 : room;
  }

  /**
   * Takes leased events; returns those to give to the worker now. One that it already has, because
   * its lease has expired meanwhile, only gets its new receipt.
   *
   * @param since how far the worker's output has been read
   */
  List<DeliveredEvent> leased(List<DeliveredEvent> events, long since) {
    List<DeliveredEvent> others = new ArrayList<>();
    List<DeliveredEvent> blocked = new ArrayList<>();
    for (DeliveredEvent event : events) {
      Given held = open.getOrDefault(event.id(), dropped.get(event.id()));
      if (held != null && sequence(held.receipt()).equals(sequence(event.receipt()))) {
        dropped.remove(event.id());
        open.put(event.id(), held.again(event.receipt()));
      } else if (!waitsAgain(event)) {
        (isHeld(event.id(), others) ? blocked : others).add(event);
      }
    }
    if (others.isEmpty() && blocked.isEmpty()) {
      return others;
    }
    boolean alone = events.size() == 1;
    if (alone && !(isEmpty() && sameIds.isEmpty() && blocked.isEmpty())) {
      waiting = events.get(0);
      return List.of();
    }
    single = alone;
    sameIds.addAll(blocked);
    others.forEach(event -> open.put(event.id(), new Given(event.receipt(), since)));
    return others;
  }

  /** Whether it waits already and was leased again; then it gets its new receipt. */
  private boolean waitsAgain(DeliveredEvent event) {
    for (int i = 0; i < sameIds.size(); i++) {
      if (sequence(sameIds.get(i).receipt()).equals(sequence(event.receipt()))) {
        sameIds.set(i, event);
        return true;
      }
    }
    return false;
  }

  private boolean isHeld(String id, List<DeliveredEvent> others) {
    return inHand(id)
        || others.stream().anyMatch(one -> one.id().equals(id))
        || sameIds.stream().anyMatch(one -> one.id().equals(id));
  }

  /** Whether the worker has an event of this id, or its answer is still to be reported. */
  private boolean inHand(String id) {
    return open.containsKey(id)
        || dropped.containsKey(id)
        || answered.stream().anyMatch(one -> one.result().id().equals(id));
  }

  /** The part of a receipt that says which event it is, whatever its delivery. */
  private static String sequence(String receipt) {
    int end = receipt.indexOf('.');
    return end < 0 ? receipt : receipt.substring(0, end);
  }

  /**
   * An event that had to wait and need not any more, if any: for the answer to another one of its
   * ID, or for an empty window.
   *
   * @param since how far the worker's output has been read
   */
  Optional<DeliveredEvent> due(long since) {
    Optional<DeliveredEvent> due = Optional.empty();
    // One that is alone in the window stays so.
    if (isEmpty() || !single) {
      due = sameIds.stream().filter(event -> !inHand(event.id())).findFirst();
    }
    if (due.isPresent()) {
      sameIds.remove(due.get());
      single = false;
    } else if (waiting != null && isEmpty() && !inHand(waiting.id())) {
      due = Optional.of(waiting);
      waiting = null;
      single = true;
    }
    due.ifPresent(event -> open.put(event.id(), new Given(event.receipt(), since)));
    return due;
  }

  /**
   * Takes the worker's result; false if it has no such event, or got it only after that.
   *
   * @param at where the result is in the worker's output
   */
  boolean answer(EventResult result, long at) {
    Given given = open.get(result.id());
    if (given == null) {
      dropped.remove(result.id());
      return false;
    }
    if (at < given.since()) {
      return false;
    }
    open.remove(result.id());
    answered.add(new Answered(given.receipt(), result, given.since()));
    return true;
  }

  /** What is to be reported to the queue node. */
  List<Answered> answered() {
    return List.copyOf(answered);
  }

  /** These were reported. */
  void reported(Collection<Answered> some) {
    answered.removeAll(some);
  }

  /** Whether nothing is in the hands of the worker or to be reported. */
  boolean isEmpty() {
    return open.isEmpty() && answered.isEmpty();
  }

  /**
   * Whether the worker has nothing to do: what waits for an answer that was due before its lease
   * expired may wait forever.
   */
  boolean isIdle() {
    return isEmpty() && waiting().stream().allMatch(event -> dropped.containsKey(event.id()));
  }

  /** Ids of unanswered events in the hands of the worker, the oldest first. */
  List<String> open() {
    return List.copyOf(open.keySet());
  }

  /**
   * All events of which the queue node does not know the result, by id, the oldest first. Of one id
   * only the event that the worker has: its answer must not count for another one, whose lease
   * expires if the agent dies.
   *
   * @param since how far the worker's output has been read, for those that it has not got
   */
  Map<String, Given> unreported(long since) {
    Map<String, Given> unreported = new LinkedHashMap<>(open);
    answered.forEach(
        one -> unreported.put(one.result().id(), new Given(one.receipt(), one.since())));
    waiting().stream()
        .filter(event -> !dropped.containsKey(event.id()))
        .forEach(event -> unreported.putIfAbsent(event.id(), new Given(event.receipt(), since)));
    return unreported;
  }

  /** The events that were leased and not given to the worker. */
  List<DeliveredEvent> waiting() {
    List<DeliveredEvent> events = new ArrayList<>(sameIds);
    if (waiting != null) {
      events.add(waiting);
    }
    return events;
  }

  /** All receipts whose leases must not expire. */
  List<String> receipts() {
    List<String> receipts = new ArrayList<>();
    open.values().forEach(given -> receipts.add(given.receipt()));
    answered.forEach(one -> receipts.add(one.receipt()));
    waiting().forEach(event -> receipts.add(event.receipt()));
    return receipts;
  }

  /**
   * Forgets events that the queue node delivers again; their results are ignored. While the worker
   * has them, it gets no event of their ids.
   */
  void drop(Collection<String> stale) {
    open.entrySet()
        .removeIf(
            entry -> {
              boolean again = stale.contains(entry.getValue().receipt());
              if (again) {
                dropped.put(entry.getKey(), entry.getValue());
              }
              return again;
            });
    answered.removeIf(one -> stale.contains(one.receipt()));
    sameIds.removeIf(event -> stale.contains(event.receipt()));
    if (waiting != null && stale.contains(waiting.receipt())) {
      waiting = null;
    }
  }
}
