package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.manager.placement.PlacementNode.Amounts;
import io.millrace.manager.placement.PlacementSnapshot.LicenceStock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The free capacity of a node during placement. Not thread-safe; used for one plan. */
@Pure
final class FreeCapacity {
  // Jobs without slots are not limited by them; more would wait on the node, where priorities do
  // not apply.
  private static final int MAX_UNSTARTED = 500;

  private final PlacementNode node;
  private final Map<String, Integer> freeResources = new HashMap<>();
  private final Set<String> tried = new HashSet<>();
  private int freeSlots;
  private long freeCpuMillis;
  private long freeMemory;
  private int programs;
  private int unstarted;
  private ShapeCandidate reservedFor;

  FreeCapacity(PlacementNode node) {
    NodeCapacity has = node.capacity();
    Amounts used = node.used();
    this.node = node;
    this.freeSlots = has.slots() - used.slots();
    this.freeCpuMillis = cpuMillis(has) - used.cpuMillis();
    this.freeMemory = has.memoryBytes() - used.memoryBytes();
    has.resources()
        .forEach(
            (name, total) ->
                freeResources.put(name, total - used.resources().getOrDefault(name, 0)));
    this.programs = node.programs();
    this.unstarted = node.unstarted();
  }

  PlacementNode node() {
    return node;
  }

  int freeSlots() {
    return freeSlots;
  }

  long freeCpuMillis() {
    return freeCpuMillis;
  }

  long freeMemory() {
    return freeMemory;
  }

  int freeResource(String name) {
    return freeResources.getOrDefault(name, 0);
  }

  int programs() {
    return programs;
  }

  /** Whether it is reserved for another shape; jobs without slots are accepted nevertheless. */
  boolean reservedFrom(ShapeCandidate candidate) {
    return reservedFor != null && !reservedFor.equals(candidate) && candidate.shape().slots() > 0;
  }

  ShapeCandidate reservedFor() {
    return reservedFor;
  }

  void reserveFor(ShapeCandidate candidate) {
    reservedFor = candidate;
  }

  /** Whether the shape would fit if nothing else ran here. */
  boolean largeEnough(Shape shape) {
    return fits(shape, Amounts.NONE);
  }

  /** Whether the shape would fit once every job that ends by itself has ended. */
  boolean largeEnoughInTime(Shape shape) {
    return fits(shape, node.restarting());
  }

  private boolean fits(Shape shape, Amounts taken) {
    NodeCapacity has = node.capacity();
    return shape.slots() <= has.slots() - taken.slots()
        && (has.cpus() <= 0 || shape.cpuMillis() <= cpuMillis(has) - taken.cpuMillis())
        && (has.memoryBytes() <= 0
            || shape.memoryBytes() <= has.memoryBytes() - taken.memoryBytes())
        && shape.resources().entrySet().stream()
            .allMatch(
                requested ->
                    requested.getValue()
                        <= has.resources().getOrDefault(requested.getKey(), 0)
                            - taken.resources().getOrDefault(requested.getKey(), 0));
  }

  boolean hasSlotsFor(Shape shape) {
    return shape.slots() <= freeSlots && (shape.slots() > 0 || !hasEnoughToStart());
  }

  /** Whether it has as many unstarted jobs without slots as it can start soon. */
  boolean hasEnoughToStart() {
    return unstarted >= MAX_UNSTARTED;
  }

  /**
   * Whether everything besides slots is free; capacities that the node did not state do not count.
   */
  boolean hasRestFor(Shape shape) {
    NodeCapacity has = node.capacity();
    if (has.cpus() > 0 && shape.cpuMillis() > 0 && shape.cpuMillis() > freeCpuMillis) {
      return false;
    }
    if (has.memoryBytes() > 0 && shape.memoryBytes() > 0 && shape.memoryBytes() > freeMemory) {
      return false;
    }
    for (Map.Entry<String, Integer> requested : shape.resources().entrySet()) {
      if (requested.getValue() > freeResource(requested.getKey())) {
        return false;
      }
    }
    return true;
  }

  /** Why a definition is denied to it, as a message that follows its name; null if it is not. */
  String denial(String definition) {
    return tried.contains(definition)
        ? node.trials().get(definition)
        : node.denials().get(definition);
  }

  /** Records that it takes a job of the definition, which is then the trial, if it has one. */
  void tries(String definition) {
    if (node.trials().containsKey(definition)) {
      tried.add(definition);
    }
  }

  /** Books what one job of the shape takes. */
  void take(Shape shape) {
    freeSlots -= shape.slots();
    freeCpuMillis -= shape.cpuMillis();
    freeMemory -= shape.memoryBytes();
    shape.resources().forEach((name, amount) -> freeResources.merge(name, -amount, Integer::sum));
    programs += shape.slots() == 0 ? 1 : 0;
    unstarted += shape.slots() == 0 ? 1 : 0;
  }

  /** The free fraction of its scarcest resource. */
  double freeFraction() {
    NodeCapacity has = node.capacity();
    double part = has.slots() == 0 ? 0 : (double) freeSlots / has.slots();
    if (has.cpus() > 0) {
      part = Math.min(part, freeCpuMillis / (has.cpus() * 1000));
    }
    if (has.memoryBytes() > 0) {
      part = Math.min(part, (double) freeMemory / has.memoryBytes());
    }
    return part;
  }

  private static long cpuMillis(NodeCapacity capacity) {
    return Math.round(capacity.cpus() * 1000);
  }

  /** FreeThe free licences during placement. Not thread-safe; used for one plan. */
  @Pure
  static final class FreeLicences {
    private final Map<String, LicenceStock> stocks;
    private final Map<String, Integer> free = new HashMap<>();

    FreeLicences(Map<String, LicenceStock> stocks) {
      this.stocks = stocks;
      stocks.forEach((name, stock) -> free.put(name, stock.free()));
    }

    /** Whether everything that the shape requests is free. */
    boolean enough(Shape shape) {
      return shape.licences().entrySet().stream()
          .allMatch(requested -> requested.getValue() <= free.getOrDefault(requested.getKey(), 0));
    }

    void take(Shape shape) {
      shape.licences().forEach((name, amount) -> free.merge(name, -amount, Integer::sum));
    }

    /** A message about the first missing licence, by name. */
    String lacking(Shape shape) {
      return shape.sortedLicences().entrySet().stream()
          .filter(requested -> requested.getValue() > free.getOrDefault(requested.getKey(), 0))
          .map(requested -> message(requested.getKey(), requested.getValue()))
          .findFirst()
          .orElseThrow();
    }

    private String message(String name, int wanted) {
      LicenceStock stock = stocks.get(name);
      if (stock == null) {
        return "licence '%s' is not defined; define it with 'millrace licence set %s --total N'"
            .formatted(name, name);
      }
      if (wanted > stock.total()) {
        return "needs %d of licence %s, of which there are %d"
            .formatted(wanted, name, stock.total());
      }
      int used = stock.total() - free.get(name);
      return "licence %s: %d of %d in use%s"
          .formatted(name, used, stock.total(), wanted > 1 ? ", " + wanted + " needed" : "");
    }
  }
}
