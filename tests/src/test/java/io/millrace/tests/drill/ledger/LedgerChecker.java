package io.millrace.tests.drill.ledger;

import io.millrace.tests.drill.ledger.Redeliveries.Repetition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Checks a ledger as Jepsen's total-queue checker does, but more strictly: an event counts as
 * processed once it was acknowledged, not when it was merely delivered; a dead letter is not lost.
 * Only valid after a full drain. Pure.
 */
public final class LedgerChecker {
  private final Map<String, SentBatch> origin = new HashMap<>();
  private final Map<String, List<Delivery>> deliveries = new HashMap<>();
  private final Map<String, Set<String>> dead;
  private final List<Crash> crashes;

  private LedgerChecker(DrillLedger ledger) {
    ledger.batches().forEach(batch -> batch.ids().forEach(id -> origin.put(id, batch)));
    ledger
        .deliveries()
        .forEach(one -> deliveries.computeIfAbsent(one.id(), id -> new ArrayList<>()).add(one));
    this.dead = ledger.dead();
    this.crashes = ledger.crashes();
  }

  public static LedgerReport of(DrillLedger ledger) {
    return new LedgerChecker(ledger).verdict();
  }

  private LedgerReport verdict() {
    Map<RedeliveryCause, Long> repeated = new EnumMap<>(RedeliveryCause.class);
    List<String> broken = new ArrayList<>();
    deliveries.forEach(
        (id, all) -> {
          SentBatch batch = origin.get(id);
          boolean outcomeDoubtful = batch != null && batch.outcomeDoubtful();
          for (Repetition one : new Redeliveries(crashes, outcomeDoubtful).of(all)) {
            repeated.merge(one.cause(), 1L, Long::sum);
            if (!one.cause().allowed()) {
              broken.add(id + " on " + one.delivery().node() + ": " + one.cause().words());
            }
          }
        });
    return new LedgerReport(
        origin.size(),
        sent(BatchOutcome.STORED).size(),
        deliveries.values().stream().mapToLong(List::size).sum(),
        deliveries.size(),
        sent(BatchOutcome.UNKNOWN).stream().filter(deliveries::containsKey).count(),
        sent(BatchOutcome.STORED).stream().filter(Predicate.not(this::settled)).toList(),
        deliveries.keySet().stream().filter(Predicate.not(this::expected)).toList(),
        sent(BatchOutcome.REFUSED).stream().filter(deliveries::containsKey).toList(),
        deliveries.keySet().stream().filter(this::early).toList(),
        repeated,
        broken,
        dead.size(),
        Stream.concat(
                deliveries.keySet().stream().filter(this::acknowledgedTwice),
                dead.keySet().stream().filter(this::deadThoughAcknowledged))
            .sorted()
            .toList());
  }

  private List<String> sent(BatchOutcome outcome) {
    return origin.entrySet().stream()
        .filter(entry -> entry.getValue().outcome() == outcome)
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  private boolean settled(String id) {
    return dead.containsKey(id)
        || deliveries.getOrDefault(id, List.of()).stream().anyMatch(one -> one.ending().settles());
  }

  // For the copy on one node; only a kill may have undone a confirmed acknowledgement.
  private boolean acknowledgedTwice(String id) {
    List<Delivery> confirmed = confirmed(id);
    for (int i = 1; i < confirmed.size(); i++) {
      for (Delivery before : confirmed.subList(0, i)) {
        Delivery after = confirmed.get(i);
        if (before.node().equals(after.node())
            && !killed(before.node(), before.endAsked(), after.endAsked())) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean deadThoughAcknowledged(String id) {
    return confirmed(id).stream()
        .anyMatch(
            one ->
                dead.get(id).contains(one.node())
                    && !killed(one.node(), one.endAsked(), Long.MAX_VALUE));
  }

  private List<Delivery> confirmed(String id) {
    return deliveries.getOrDefault(id, List.of()).stream()
        .filter(one -> one.ending() == DeliveryEnd.ACKNOWLEDGED)
        .sorted(Comparator.comparingLong(Delivery::endAsked))
        .toList();
  }

  private boolean killed(String node, long from, long until) {
    return crashes.stream()
        .anyMatch(crash -> crash.node().equals(node) && crash.at() >= from && crash.at() <= until);
  }

  private boolean expected(String id) {
    SentBatch batch = origin.get(id);
    return batch != null
        && deliveries.get(id).stream().allMatch(one -> one.queue().equals(batch.queue()));
  }

  private boolean early(String id) {
    SentBatch batch = origin.get(id);
    return batch != null
        && deliveries.get(id).stream().anyMatch(one -> one.received() < batch.notBefore());
  }
}
