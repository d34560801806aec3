package io.millrace.manager.placement;

import io.millrace.api.Pure;
import java.util.HashMap;
import java.util.Map;

/**
 * Capacity of a node that is taken.
 *
 * @param slots of attempts
 * @param cpuMillis thousandths of processors
 * @param memoryBytes memory
 * @param resources named consumables
 */
@Pure
public record Amounts(int slots, long cpuMillis, long memoryBytes, Map<String, Integer> resources) {
  /** Nothing. */
  public static final Amounts NONE = new Amounts(0, 0, 0, Map.of());

  public Amounts {
    resources = Map.copyOf(resources);
  }

  /** What one job of the shape takes. */
  public static Amounts of(Shape shape) {
    return new Amounts(shape.slots(), shape.cpuMillis(), shape.memoryBytes(), shape.resources());
  }

  public Amounts plus(Amounts other) {
    return new Amounts(
        slots + other.slots,
        cpuMillis + other.cpuMillis,
        memoryBytes + other.memoryBytes,
        sum(resources, other.resources));
  }

  /** The sums by name. */
  public static Map<String, Integer> sum(Map<String, Integer> left, Map<String, Integer> right) {
    if (right.isEmpty()) {
      return left;
    }
    Map<String, Integer> sum = new HashMap<>(left);
    right.forEach((name, amount) -> sum.merge(name, amount, Integer::sum));
    return sum;
  }
}
