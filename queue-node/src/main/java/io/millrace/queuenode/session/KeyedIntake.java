package io.millrace.queuenode.session;

import com.fasterxml.jackson.core.type.TypeReference;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionText;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.data.DiskReserve;
import io.millrace.platform.schema.CheckBudget;
import io.millrace.queuenode.segment.FollowedTopology;
import io.millrace.queuenode.segment.SegmentNotes;
import io.millrace.queuenode.session.store.SessionStore;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import io.millrace.queuenode.session.store.SessionStore.PutAnswer;
import io.millrace.queuenode.session.store.SessionStore.PutResult;
import io.millrace.queuenode.session.store.SessionStore.SessionPut;
import io.millrace.queuenode.store.AdmissionControl;
import io.millrace.queuenode.store.Change;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.PutOrder;
import io.millrace.queuenode.store.PutOrder.PutLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * Stores events of queues of sessions, each for itself: by the key that it contains, in the order
 * of the request. Blocks until they are on disk. Thread-safe.
 */
final class KeyedIntake {
  private static final int OBJECT_BYTES = 300;
  private static final TypeReference<Map<String, String>> ATTRIBUTES = new TypeReference<>() {};

  private final String node;
  private final SessionRules rules;
  private final SessionCommits commits;
  private final DiskReserve disk;
  private final SegmentNotes notes;
  private final Clock clock;
  private final EventSchemas schemas = new EventSchemas();
  // Used by the writer's thread.
  private final AdmissionControl rates = new AdmissionControl();
  private final Map<String, LongAdder> received = new ConcurrentHashMap<>();

  KeyedIntake(
      String node,
      SessionRules rules,
      SessionCommits commits,
      DiskReserve disk,
      SegmentNotes notes,
      Clock clock) {
    this.node = node;
    this.rules = rules;
    this.commits = commits;
    this.disk = disk;
    this.notes = notes;
    this.clock = clock;
  }

  /** Forgets the counts of queues that are not defined any more. */
  void retain(Predicate<String> defined) {
    received.keySet().removeIf(defined.negate());
  }

  /** Events of a queue received since the node was started, refused ones included. */
  long received(String queue) {
    LongAdder counted = received.get(queue);
    return counted == null ? 0 : counted.sum();
  }

  /**
   * Stores events.
   *
   * @param epochs of the slot of each event's key, as the sender knows it; 0 for unknown
   * @return with those that were refused; if all are, with one code, that is thrown instead
   */
  SendAnswer put(String queue, String batch, List<NewEvent> events, List<Long> epochs) {
    FollowedTopology now = rules.topology();
    QueueDefinition definition = rules.require(queue);
    received.computeIfAbsent(queue, name -> new LongAdder()).add(events.size());
    now.requireKept(queue);
    now.requireWeight(queue);
    now.requireSending(queue);
    requireUntroubled(queue);
    Sorted sorted = sorted(definition, now.versions(queue).inForce(), events, epochs);
    if (!sorted.keyed.isEmpty()) {
      store(queue, batch, definition, sorted);
    }
    return sorted.answer(queue, batch, node);
  }

  private void requireUntroubled(String queue) {
    notes
        .trouble(queue)
        .ifPresent(
            trouble -> {
              throw new MillraceException(
                  ErrorCode.UNAVAILABLE,
                  node + " accepts no events of " + queue + " now: " + trouble + "; try again");
            });
  }

  private Sorted sorted(
      QueueDefinition definition, int version, List<NewEvent> events, List<Long> epochs) {
    SessionKey place = definition.sessions().keyPlace();
    CheckBudget checks = new CheckBudget();
    Sorted sorted = new Sorted(events);
    for (int i = 0; i < events.size(); i++) {
      NewEvent event = events.get(i);
      String key = null;
      try {
        key = place.of(attributes(event), event.data());
        sorted.requireNoneRefused(key);
        SessionText.requirePlain("the event's id", event.id());
        requirePlain(event);
        schemas.require(
            definition.name(), version, definition.sessions().schema(), event.data(), checks);
        sorted.keyed.add(new KeyedEvent(event, key, SessionKey.slot(key), epochs.get(i)));
        sorted.places.add(i);
      } catch (MillraceException refusal) {
        sorted.refuse(i, key, refusal.code(), refusal.getMessage());
      }
    }
    return sorted;
  }

  private static Map<String, String> attributes(NewEvent event) {
    if (event.attributes() == null) {
      return null;
    }
    try {
      return Json.mapper().readValue(event.attributes(), ATTRIBUTES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void requirePlain(NewEvent event) {
    if (event.delayMillis() > 0 || event.priority() > 0) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "event "
              + event.id()
              + " has a delay or a priority, which queues of sessions do not have, since the"
              + " events of a key are delivered in the order in which they come; omit it");
    }
  }

  private void store(String queue, String batch, QueueDefinition definition, Sorted sorted) {
    FollowedTopology now = rules.topology();
    int weight = now.weight(queue);
    PutLimits limits = PutLimits.of(definition, weight);
    PutOrder order =
        new PutOrder(queue, batch, sorted.keyed.stream().map(KeyedEvent::event).toList(), limits);
    SessionPut put =
        new SessionPut(
            queue,
            definition.sessions(),
            List.copyOf(sorted.keyed),
            limits.events(),
            limits.maxBytes() == 0 ? 0 : limits.bytes(),
            weight);
    disk.require(order.bytes());
    long memory = order.bytes() + OBJECT_BYTES * (1L + sorted.keyed.size());
    PutAnswer answer =
        commits.within(
            new Change<>(queue, memory, true, store -> admitted(store, put, order)),
            PutAnswer::effects);
    sorted.note(answer.results());
  }

  /** A queue whose deletion was followed meanwhile gets nothing more: it may be removed already. */
  private PutAnswer admitted(SessionStore store, SessionPut put, PutOrder order) {
    rules.topology().requireKept(put.queue());
    rates.admitRate(order, clock.nanoTime());
    rates.commit();
    return store.put(put);
  }

  /** The events of a request, by what has become of them. One thread. */
  private static final class Sorted {
    private final List<NewEvent> events;
    private final List<KeyedEvent> keyed = new ArrayList<>();
    private final List<Integer> places = new ArrayList<>();
    private final Map<Integer, RefusedEvent> refused = new TreeMap<>();
    // The first refusal of each key; those that the store refuses are not here.
    private final Map<String, RefusedEvent> refusedKeys = new HashMap<>();
    private final Set<ErrorCode> codes = EnumSet.noneOf(ErrorCode.class);
    private int stored;
    private int repeated;

    Sorted(List<NewEvent> events) {
      this.events = events;
    }

    /** Refuses what would come before an event of its key that is sent again (M-08). */
    void requireNoneRefused(String key) {
      RefusedEvent earlier = refusedKeys.get(key);
      if (earlier != null) {
        throw new MillraceException(
            earlier.code(),
            "an earlier event of its key, %s, is refused: %s"
                .formatted(earlier.id(), earlier.message()));
      }
    }

    void refuse(int index, String key, ErrorCode code, String message) {
      codes.add(code);
      RefusedEvent refusal = new RefusedEvent(index, events.get(index).id(), key, code, message);
      refused.put(index, refusal);
      if (key != null) {
        refusedKeys.putIfAbsent(key, refusal);
      }
    }

    void note(List<PutResult> results) {
      for (int i = 0; i < results.size(); i++) {
        PutResult result = results.get(i);
        if (result.code() != null) {
          refuse(places.get(i), keyed.get(i).key(), result.code(), result.message());
        } else {
          stored++;
          repeated += result.repeated() ? 1 : 0;
        }
      }
    }

    SendAnswer answer(String queue, String batch, String node) {
      if (stored == 0 && codes.size() == 1) {
        RefusedEvent first = refused.values().iterator().next();
        String others = events.size() == 1 ? "" : " (as all " + events.size() + " events)";
        throw new MillraceException(first.code(), first.message() + others);
      }
      return new SendAnswer(
          queue,
          batch,
          stored,
          stored > 0 && repeated == stored,
          node,
          List.copyOf(refused.values()));
    }
  }
}
