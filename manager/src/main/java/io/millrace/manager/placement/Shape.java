package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Map;
import java.util.TreeMap;

/**
 * What waiting jobs have in common that decides where they may run and whose turn it is. Jobs of
 * one shape form one queue, so that the cost of placing depends on the number of shapes, not on the
 * backlog.
 *
 * @param pool where it runs
 * @param share the fair share that it is charged to
 * @param priority jobs with a higher priority go first
 * @param slots slots it takes; 0 for a built-in program
 * @param cpuMillis thousandths of a processor that it keeps busy; 0 for none booked
 * @param memoryBytes memory booked; 0 for none
 * @param resources consumables of its node; empty for none
 * @param licences consumables of the cluster; empty for none
 * @param requires expression over a node that must hold; null for any node
 * @param rank expression over a node whose highest value is preferred; null for none
 * @param user the user that its commands run as; null if that does not matter or is not known
 */
@Pure
@RecordBuilder
public record Shape(
    String pool,
    String share,
    int priority,
    int slots,
    int cpuMillis,
    long memoryBytes,
    Map<String, Integer> resources,
    Map<String, Integer> licences,
    String requires,
    String rank,
    ShapeUser user)
    implements ShapeBuilder.With {
  // Programs without slots are charged, too.
  private static final double MIN_COST = 0.1;

  public Shape {
    if (slots < 0 || cpuMillis < 0 || memoryBytes < 0) {
      throw new IllegalArgumentException(
          "negative amount in shape: %d slots, %d mcpu, %d bytes"
              .formatted(slots, cpuMillis, memoryBytes));
    }
    resources = resources == null ? Map.of() : Map.copyOf(resources);
    licences = licences == null ? Map.of() : Map.copyOf(licences);
    requires = requires == null || requires.isBlank() ? null : requires.strip();
    rank = rank == null || rank.isBlank() ? null : rank.strip();
  }

  /** A shape for which users do not matter. */
  public Shape(
      String pool,
      String share,
      int priority,
      int slots,
      int cpuMillis,
      long memoryBytes,
      Map<String, Integer> resources,
      Map<String, Integer> licences,
      String requires,
      String rank) {
    this(
        pool,
        share,
        priority,
        slots,
        cpuMillis,
        memoryBytes,
        resources,
        licences,
        requires,
        rank,
        null);
  }

  /** A shape that takes slots and requests nothing else. */
  public static Shape ofSlots(String pool, String share, int priority, int slots) {
    return new Shape(pool, share, priority, slots, 0, 0, null, null, null, null);
  }

  /** What a start costs its share before the weight: the larger of slots and processors. */
  public double cost() {
    return Math.max(MIN_COST, Math.max(slots, cpuMillis / 1000.0));
  }

  /** Consumables of its node in the order of their names, so that equal shapes have equal texts. */
  public Map<String, Integer> sortedResources() {
    return new TreeMap<>(resources);
  }

  /** Licences in the order of their names, so that equal shapes have equal texts. */
  public Map<String, Integer> sortedLicences() {
    return new TreeMap<>(licences);
  }
}
