package io.millrace.tests.drill.session;

import io.millrace.tests.drill.cluster.FaultTimeline.Injected;
import io.millrace.tests.drill.session.KeyJournal.Holding;
import io.millrace.tests.drill.session.SessionEntry.Begun;
import io.millrace.tests.drill.session.SessionEntry.Ended;
import io.millrace.tests.drill.session.SessionEntry.Purpose;
import io.millrace.tests.drill.session.SessionEntry.Received;
import io.millrace.tests.drill.session.SessionEntry.Settled;
import io.millrace.tests.drill.session.SessionEntry.Settlement;
import io.millrace.tests.drill.session.SessionVerdict.Counts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Checks the journals of producers and workers of sessions whose completed keys are refused. Only
 * valid after a full drain. Two moments of the same hundredth of a second count as in the allowed
 * order. Pure.
 */
final class SessionChecker {
  private final Map<String, KeyJournal> keys = new LinkedHashMap<>();
  private final NumberRules numbers = new NumberRules();
  private final SessionOverlaps overlaps;
  private final List<String> lost = new ArrayList<>();
  private final List<String> disorder = new ArrayList<>();
  private final List<String> duplicates = new ArrayList<>();
  private Counts counts = new Counts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  private SessionChecker(List<SessionEntry> entries, List<Injected> faults) {
    entries.forEach(one -> keys.computeIfAbsent(one.key(), KeyJournal::new).add(one));
    this.overlaps = new SessionOverlaps(faults);
  }

  /**
   * Judges.
   *
   * @param entries in the order of their times
   * @param faults that were injected meanwhile
   * @param open sessions that are left at the end of the drain
   */
  static SessionVerdict of(List<SessionEntry> entries, List<Injected> faults, List<String> open) {
    return new SessionChecker(entries, faults).verdict(open);
  }

  private SessionVerdict verdict(List<String> open) {
    for (KeyJournal journal : keys.values()) {
      Map<Long, String> places = places(journal);
      requireNothingLost(journal, places);
      requireOrderOfAcceptance(journal, places);
      journal.begun().forEach((holding, begun) -> requireConsecutive(journal, holding, begun));
      numbers.check(journal);
      overlaps.check(journal);
      counts = counts.plus(count(journal, places));
    }
    disorder.addAll(numbers.disorder());
    return new SessionVerdict(
        counts,
        lost,
        disorder,
        numbers.stale(),
        overlaps.watched(),
        overlaps.unexplained(),
        overlaps.explained(),
        open,
        numbers.ends(),
        duplicates);
  }

  /** The events by their places, which must be the same for each worker. */
  private Map<Long, String> places(KeyJournal journal) {
    Map<Long, String> ids = new HashMap<>();
    Map<String, Long> places = new HashMap<>();
    for (List<Begun> all : journal.begun().values()) {
      for (Begun one : all) {
        String id = ids.putIfAbsent(one.n(), one.id());
        if (id != null && !id.equals(one.id())) {
          disorder.add(
              "%s: event %d was %s, and then %s, for %s at %.2f"
                  .formatted(journal.key(), one.n(), id, one.id(), one.worker(), one.at()));
        }
        Long place = places.putIfAbsent(one.id(), one.n());
        if (place != null && place != one.n()) {
          disorder.add(
              "%s: %s was handled as event %d and again as event %d, by %s at %.2f"
                  .formatted(journal.key(), one.id(), place, one.n(), one.worker(), one.at()));
        }
      }
    }
    return ids;
  }

  private void requireNothingLost(KeyJournal journal, Map<Long, String> places) {
    Map<String, Double> handled = handled(journal, places);
    for (Settled one : journal.settled().values()) {
      boolean done = handled.containsKey(one.id());
      if (one.outcome() == Settlement.ACCEPTED && !done && !dropped(journal, one, handled)) {
        lost.add("%s: %s, accepted at %.2f".formatted(journal.key(), one.id(), one.at()));
      }
      if (one.outcome() == Settlement.DUPLICATE) {
        if (places.containsValue(one.id())) {
          duplicates.add(
              "%s: %s was refused at %.2f, and handled"
                  .formatted(journal.key(), one.id(), one.at()));
        } else if (one.purpose() != Purpose.LATE) {
          duplicates.add(
              "%s: %s was refused at %.2f, though no last event came before it"
                  .formatted(journal.key(), one.id(), one.at()));
        }
      }
    }
  }

  /** When each event that was handled was so for the first time. */
  private static Map<String, Double> handled(KeyJournal journal, Map<Long, String> places) {
    return journal.ended().stream()
        .collect(
            Collectors.toMap(
                one -> places.getOrDefault(one.n(), "an event that nobody began"),
                Ended::at,
                Math::min));
  }

  /**
   * A new event of a session whose last one was handled before: the end may have arrived with its
   * slot, after the event was accepted.
   */
  private static boolean dropped(KeyJournal journal, Settled event, Map<String, Double> handled) {
    return event.purpose() == Purpose.LATE
        && !handled.containsKey(event.id())
        && journal.offered().values().stream()
            .filter(one -> one.purpose() == Purpose.LAST && handled.containsKey(one.id()))
            .anyMatch(one -> handled.get(one.id()) <= event.at());
  }

  /** The places of events are in the order in which their producer sent them. */
  private void requireOrderOfAcceptance(KeyJournal journal, Map<Long, String> places) {
    Map<String, Integer> ranks = new HashMap<>();
    journal.offered().keySet().forEach(id -> ranks.put(id, ranks.size()));
    int before = -1;
    for (long n = 1;
        n <= places.keySet().stream().mapToLong(Long::longValue).max().orElse(0);
        n++) {
      String id = places.get(n);
      Integer rank = id == null ? null : ranks.get(id);
      if (id == null) {
        disorder.add("%s: nobody handled event %d".formatted(journal.key(), n));
      } else if (rank == null) {
        disorder.add("%s: event %d, %s, was never sent".formatted(journal.key(), n, id));
      } else {
        if (rank < before) {
          disorder.add(
              "%s: event %d is %s, which was sent before those before it"
                  .formatted(journal.key(), n, id));
        }
        before = rank;
      }
    }
  }

  private void requireConsecutive(KeyJournal journal, Holding holding, List<Begun> begun) {
    List<Received> received = journal.received().getOrDefault(holding, List.of());
    if (received.isEmpty()) {
      disorder.add("%s: %s handled what it did not receive".formatted(journal.key(), holding));
      return;
    }
    long next = received.get(0).from();
    for (Begun one : begun) {
      if (one.n() != next) {
        disorder.add(
            "%s: %s handled event %d instead of %d at %.2f"
                .formatted(journal.key(), holding, one.n(), next, one.at()));
      }
      next = one.n() + 1;
    }
  }

  private static Counts count(KeyJournal journal, Map<Long, String> places) {
    long begun = journal.begun().values().stream().mapToLong(List::size).sum();
    Map<String, Double> handled = handled(journal, places);
    return new Counts(
        journal.offered().isEmpty() ? 0 : 1,
        settled(journal, Settlement.ACCEPTED),
        settled(journal, Settlement.UNKNOWN),
        places.size(),
        begun - places.size(),
        Math.max(0, journal.received().size() - 1),
        journal.again().size(),
        journal.again().stream().filter(one -> one.outcome() == Settlement.DUPLICATE).count(),
        settled(journal, Settlement.DUPLICATE),
        journal.settled().values().stream()
            .filter(one -> one.outcome() == Settlement.ACCEPTED && dropped(journal, one, handled))
            .count());
  }

  private static long settled(KeyJournal journal, Settlement outcome) {
    return journal.settled().values().stream().filter(one -> one.outcome() == outcome).count();
  }
}
