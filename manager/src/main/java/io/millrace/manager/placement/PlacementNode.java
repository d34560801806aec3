package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.api.node.AcceptedUsers;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * An execution node as placement sees it.
 *
 * @param id its own id
 * @param name its name
 * @param near name of the queue node on the same host; null for none
 * @param capacity its total capacity
 * @param facts its attributes for expressions
 * @param used what attempts have booked; may exceed the capacity
 * @param restarting the part of that which does not end by itself: attempts of jobs that are always
 *     restarted
 * @param programs attempts that take no slots
 * @param unstarted those of them that have not started yet
 * @param unavailable why it takes no jobs now, as a message that follows its name; null if it does
 * @param denials why definitions are denied to it, as messages that follow its name
 * @param trials definitions of which it takes a single job because they were denied until now, with
 *     the message for other jobs
 * @param users as which users it runs jobs; empty if it does not announce that
 */
@Pure
@RecordBuilder
public record PlacementNode(
    UUID id,
    String name,
    String near,
    NodeCapacity capacity,
    NodeFacts facts,
    Amounts used,
    Amounts restarting,
    int programs,
    int unstarted,
    String unavailable,
    Map<String, String> denials,
    Map<String, String> trials,
    Optional<AcceptedUsers> users)
    implements PlacementNodeBuilder.With {
  public PlacementNode {
    denials = Map.copyOf(denials);
    trials = Map.copyOf(trials);
  }

  /** A node without trials that has started everything it was given and announces no users. */
  public PlacementNode(
      UUID id,
      String name,
      String near,
      NodeCapacity capacity,
      NodeFacts facts,
      Amounts used,
      Amounts restarting,
      int programs,
      String unavailable,
      Map<String, String> denials) {
    this(
        id,
        name,
        near,
        capacity,
        facts,
        used,
        restarting,
        programs,
        0,
        unavailable,
        denials,
        Map.of(),
        Optional.empty());
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
