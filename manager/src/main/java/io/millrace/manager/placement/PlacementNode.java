package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * An execution node as placement sees it.
 *
 * @param id its own id
 * @param name its name
 * @param near name of the queue node that it stands beside; null for none
 * @param capacity what it has in all
 * @param facts what expressions see of it
 * @param used what recorded attempts have booked; may be more than it has
 * @param lasting the part of that which does not end by itself: attempts of jobs that are always
 *     started again
 * @param programs recorded attempts that take no slots
 * @param unstarted those of them that have not started yet
 * @param closed why it takes nothing now, in words that follow its name; null when it takes jobs
 * @param closures why it is closed to jobs of single definitions, in words that follow its name
 * @param trials definitions of which it takes one job, in words for the others: it was closed to
 *     them until now
 */
@Pure
public record PlacementNode(
    UUID id,
    String name,
    String near,
    NodeCapacity capacity,
    NodeFacts facts,
    Amounts used,
    Amounts lasting,
    int programs,
    int unstarted,
    String closed,
    Map<String, String> closures,
    Map<String, String> trials) {
  public PlacementNode {
    closures = Map.copyOf(closures);
    trials = Map.copyOf(trials);
  }

  /** The same with another capacity. */
  public PlacementNode with(NodeCapacity other) {
    return new PlacementNode(
        id, name, near, other, facts, used, lasting, programs, unstarted, closed, closures, trials);
  }

  /** A node that tries nothing and has started all that it was given. */
  public PlacementNode(
      UUID id,
      String name,
      String near,
      NodeCapacity capacity,
      NodeFacts facts,
      Amounts used,
      Amounts lasting,
      int programs,
      String closed,
      Map<String, String> closures) {
    this(id, name, near, capacity, facts, used, lasting, programs, 0, closed, closures, Map.of());
  }

  /**
   * Capacity of a node that is taken.
   *
   * @param slots of attempts
   * @param cpuMillis thousandths of processors
   * @param memoryBytes memory
   * @param resources named consumables
   */
  @Pure
  public record Amounts(
      int slots, long cpuMillis, long memoryBytes, Map<String, Integer> resources) {
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
}
