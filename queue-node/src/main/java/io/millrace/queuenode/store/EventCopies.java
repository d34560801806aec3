package io.millrace.queuenode.store;

import io.millrace.api.event.StoredEvent;
import io.millrace.api.event.StoredEvent.StoredEvents;
import io.millrace.queuenode.store.EventIndex.DeadLetterInfo;
import io.millrace.queuenode.store.Rows.DeadRow;
import io.millrace.queuenode.store.Rows.Row;
import io.millrace.queuenode.store.Tallies.Tally;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Reads events in the order of their numbers for a backup, and stores those of a backup. Used by
 * the writer's thread.
 *
 * <p>An event keeps its number in every state, so pages that are read one after the other miss none
 * of those that were stored when the first one was read, except for those that have ended since.
 */
final class EventCopies {
  private static final int PAGE = 500;

  /** A page holds up the writer while it is read, and an answer must remain below 4 MiB. */
  private static final long PAGE_BYTES = 1L << 20;

  private final Ledger ledger;

  EventCopies(Ledger ledger) {
    this.ledger = ledger;
  }

  StoredEvents page(String queue, long after, long upTo) {
    OptionalInt number = ledger.number(queue);
    if (number.isEmpty() || after >= upTo) {
      return new StoredEvents(version(queue), List.of(), null);
    }
    int limit = Math.min(PAGE, (int) Math.max(1, PAGE_BYTES / mean(number.getAsInt())));
    List<Row> rows = next(number.getAsInt(), after, limit);
    boolean more = rows.size() == limit;
    List<Row> page = fitting(rows, upTo);
    Map<Long, DeadRow> dead = dead(number.getAsInt(), page);
    List<StoredEvent> events =
        page.stream().map(row -> stored(row, dead.get(row.delivery().seq()))).toList();
    boolean ends = page.size() == rows.size() ? !more : seq(rows.get(page.size())) > upTo;
    return new StoredEvents(version(queue), events, ends ? null : seq(page.get(page.size() - 1)));
  }

  private int version(String queue) {
    return ledger.tallies().number(queue) == null ? 0 : ledger.tallies().version(queue);
  }

  private long mean(int queue) {
    return Math.max(1, ledger.tallies().meanBytes(queue));
  }

  /** The next events of all states: the first ones of each state contain the first ones of all. */
  private List<Row> next(int queue, long after, int limit) {
    List<Row> found = new ArrayList<>();
    for (EventState state : EventState.values()) {
      found.addAll(ledger.rows().in(queue, state, after, limit));
    }
    found.sort(Comparator.comparingLong(EventCopies::seq));
    return found.subList(0, Math.min(limit, found.size()));
  }

  private static List<Row> fitting(List<Row> rows, long upTo) {
    int fitting = 0;
    long bytes = 0;
    while (fitting < rows.size() && seq(rows.get(fitting)) <= upTo) {
      bytes += rows.get(fitting).event().bytes();
      if (fitting > 0 && bytes > PAGE_BYTES) {
        break;
      }
      fitting++;
    }
    return rows.subList(0, fitting);
  }

  private Map<Long, DeadRow> dead(int queue, List<Row> page) {
    Map<Long, DeadRow> dead = new HashMap<>();
    int number =
        (int) page.stream().filter(row -> row.delivery().state() == EventState.DEAD).count();
    if (number > 0) {
      // The page has all of its range, so reading backwards from its last returns the same ones.
      ledger
          .rows()
          .dead(queue, seq(page.get(page.size() - 1)) + 1, number)
          .forEach(row -> dead.put(row.delivery().seq(), row));
    }
    return dead;
  }

  private static long seq(Row row) {
    return row.delivery().seq();
  }

  private static StoredEvent stored(Row row, DeadRow dead) {
    DeliveryState delivery = row.delivery();
    return new StoredEvent(
        delivery.seq(),
        row.event().id(),
        row.event().text(),
        row.event().attributes(),
        delivery.priority(),
        delivery.state().name(),
        delivery.storedAt(),
        delivery.heldAt(),
        delivery.holdMillis(),
        delivery.number(),
        delivery.alone(),
        delivery.failures(),
        delivery.returns(),
        dead == null ? null : dead.reason(),
        dead == null ? 0 : dead.diedAt());
  }

  void restore(String queue, int version, List<StoredEvent> events) {
    int number = ledger.tallies().numberOrNew(queue, version);
    Tally tally = ledger.tally(number);
    List<Row> rows = new ArrayList<>(events.size());
    List<DeliveryState> delivered = new ArrayList<>();
    Map<DeadLetterInfo, List<DeliveryState>> dead = new LinkedHashMap<>();
    for (StoredEvent one : events) {
      boolean delayed = EventState.valueOf(one.state()) == EventState.DELAYED;
      NewEvent event =
          new NewEvent(
              one.id(),
              one.data().getBytes(StandardCharsets.UTF_8),
              one.attributes(),
              one.priority(),
              delayed ? one.holdMillis() : 0);
      DeliveryState fresh = DeliveryState.fresh(ledger.nextSeq(), number, event, one.storedAt());
      DeliveryState last = last(fresh, one);
      rows.add(new Row(delayed ? last : fresh, event));
      tally.inserted(fresh);
      if (delayed) {
        ledger.hold(last);
      } else if (last.state() == EventState.DEAD) {
        tally.moved(fresh, last);
        dead.computeIfAbsent(
                new DeadLetterInfo(one.reason(), one.diedAt()), none -> new ArrayList<>())
            .add(last);
      } else if (!last.equals(fresh)) {
        delivered.add(last);
      }
    }
    ledger.rows().insert(rows);
    ledger.rows().update(EventState.READY, delivered);
    dead.forEach(
        (info, states) ->
            ledger.rows().markDead(EventState.READY, states, info.reason(), info.diedAt()));
  }

  /** The state of a restored event; nobody holds it, whoever held it before the backup. */
  private static DeliveryState last(DeliveryState fresh, StoredEvent one) {
    EventState before = EventState.valueOf(one.state());
    return new DeliveryState(
        fresh.seq(),
        fresh.queue(),
        fresh.priority(),
        fresh.storedAt(),
        fresh.bytes(),
        before == EventState.LEASED ? EventState.READY : before,
        one.deliveries(),
        0,
        one.heldAt(),
        before == EventState.DELAYED ? one.holdMillis() : 0,
        false,
        one.alone(),
        one.failures(),
        one.returns());
  }
}
