package io.millrace.tests.drill;

import io.millrace.tests.drill.ledger.LedgerReport;
import io.millrace.tests.drill.ledger.RedeliveryCause;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The result of a round.
 *
 * @param name of the round
 * @param what the faults of the round, with their times
 * @param before the check before it
 * @param after the check of everything up to its end
 * @param gap the longest time in which no batch was acknowledged
 * @param drained how long the drain took
 */
record RoundReport(
    String name,
    String what,
    LedgerReport before,
    LedgerReport after,
    Duration gap,
    Duration drained) {

  @Override
  public String toString() {
    return "drill %s: %s; sent %d, acknowledged %d, delivered %d, lost %d, repeated {%s}, gap %.1fs, drained in %.1fs"
        .formatted(
            name,
            what,
            after.sent() - before.sent(),
            after.acknowledged() - before.acknowledged(),
            after.deliveries() - before.deliveries(),
            after.lost().size() - before.lost().size(),
            repeated(before, after),
            gap.toMillis() / 1e3,
            drained.toMillis() / 1e3);
  }

  /** Repeated deliveries between the two checks, by cause. */
  static String repeated(LedgerReport before, LedgerReport after) {
    return after.repeated().entrySet().stream()
        .sorted(Comparator.comparing(Map.Entry<RedeliveryCause, Long>::getKey))
        .map(entry -> Map.entry(entry.getKey(), more(before, entry)))
        .filter(entry -> entry.getValue() > 0)
        .map(entry -> entry.getKey().words() + " " + entry.getValue())
        .collect(Collectors.joining(", "));
  }

  private static long more(LedgerReport before, Map.Entry<RedeliveryCause, Long> after) {
    return after.getValue() - before.repeated().getOrDefault(after.getKey(), 0L);
  }
}
