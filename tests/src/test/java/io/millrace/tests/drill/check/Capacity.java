package io.millrace.tests.drill.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Whether more was in use at any instant than exists: slots of a node, licences of the cluster.
 * According to the journals, which are independent of bookings. Pure.
 */
public final class Capacity {
  /**
   * A use of a resource; times are seconds since boot.
   *
   * @param of the resource, for instance {@code slots of NODE}
   * @param amount how much of it
   * @param from its start
   * @param until its end, exclusive: a use that starts at this instant does not overlap
   * @param by the user, for messages
   */
  public record Use(String of, int amount, double from, double until, String by) {}

  private record Change(double at, int amount, Use use) {}

  private Capacity() {}

  /** At most one violation for each resource: the first instant at which too much was in use. */
  public static List<String> exceeded(Map<String, Integer> totals, List<Use> uses) {
    Map<String, List<Use>> byThing =
        uses.stream().collect(Collectors.groupingBy(Use::of, TreeMap::new, Collectors.toList()));
    List<String> violations = new ArrayList<>();
    byThing.forEach(
        (thing, some) -> {
          Integer total = totals.get(thing);
          if (total == null) {
            violations.add(thing + ": unknown total; used by " + by(some));
          } else {
            exceeded(thing, total, some, violations);
          }
        });
    return violations;
  }

  private static void exceeded(String thing, int total, List<Use> uses, List<String> violations) {
    List<Change> changes = new ArrayList<>();
    for (Use use : uses) {
      if (use.until() > use.from()) {
        changes.add(new Change(use.from(), use.amount(), use));
        changes.add(new Change(use.until(), -use.amount(), use));
      }
    }
    // Ends first: the clock cannot order events within a hundredth of a second.
    changes.sort(Comparator.comparingDouble(Change::at).thenComparingInt(Change::amount));
    List<Use> current = new ArrayList<>();
    int sum = 0;
    for (Change change : changes) {
      sum += change.amount();
      if (change.amount() > 0) {
        current.add(change.use());
      } else {
        current.remove(change.use());
      }
      if (sum > total) {
        violations.add(
            "%s: %d of %d in use at %.2f by %s"
                .formatted(thing, sum, total, change.at(), by(current)));
        return;
      }
    }
  }

  private static String by(List<Use> uses) {
    return uses.stream().map(Use::by).collect(Collectors.joining(", "));
  }
}
