package io.millrace.loadbalancer.forward;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDeletion;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where events of each queue can be sent: the registered nodes with weight. Immutable.
 *
 * @param weights points by node, by queue
 * @param addresses the address of each registered node, by name
 * @param queues all defined queues
 * @param closed queues that accept no events, with the refusal: paused ones, and those that are
 *     being deleted
 * @param received whether a topology was ever received
 */
public record Targets(
    Map<String, Map<String, Integer>> weights,
    Map<String, URI> addresses,
    Set<String> queues,
    Map<String, MillraceException> closed,
    boolean received) {
  /** The targets before the first topology. */
  public static final Targets NONE = new Targets(Map.of(), Map.of(), Set.of(), Map.of(), false);

  public static Targets of(Topology topology) {
    Map<String, URI> addresses = new HashMap<>();
    for (QueueNodeAddress node : topology.nodes()) {
      addresses.put(node.name(), node.address());
    }
    Map<String, Map<String, Integer>> weights = new HashMap<>();
    for (QueueWeights row : topology.weights()) {
      Map<String, Integer> points = new HashMap<>(row.points());
      points.keySet().retainAll(addresses.keySet());
      weights.put(row.queue(), Map.copyOf(points));
    }
    Map<String, Integer> queues = new HashMap<>();
    topology.queues().forEach(queue -> queues.put(queue.definition().name(), queue.version()));
    Map<String, MillraceException> closed = new HashMap<>();
    for (QueueControl control : topology.controls()) {
      if (control.sendingPaused()) {
        closed.put(
            control.queue(), new MillraceException(ErrorCode.QUEUE_PAUSED, describe(control)));
      }
    }
    for (QueueDeletion deletion : topology.deletions()) {
      if (deletion.closes(queues.getOrDefault(deletion.queue(), 0))) {
        closed.put(
            deletion.queue(), new MillraceException(ErrorCode.QUEUE_DELETING, describe(deletion)));
      }
    }
    return new Targets(
        Map.copyOf(weights),
        Map.copyOf(addresses),
        Set.copyOf(queues.keySet()),
        Map.copyOf(closed),
        true);
  }

  private static String describe(QueueDeletion deletion) {
    return "queue '"
        + deletion.queue()
        + "' is being deleted and accepts no more events; 'millrace queue show "
        + deletion.queue()
        + "' shows what it waits for";
  }

  /** The nodes with weight in any queue. */
  Set<String> nodes() {
    return weights.values().stream()
        .flatMap(points -> points.entrySet().stream())
        .filter(point -> point.getValue() > 0)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  private static String describe(QueueControl control) {
    return "sending to '"
        + control.queue()
        + "' was paused by "
        + control.by()
        + (control.reason() == null ? "" : " (" + control.reason() + ")")
        + "; 'millrace queue resume "
        + control.queue()
        + " --sending' resumes it";
  }

  /**
   * Points by node of a queue.
   *
   * @throws MillraceException UNKNOWN_QUEUE when it is not defined, QUEUE_PAUSED if operators have
   *     paused sending to it, QUEUE_DELETING while it is deleted, UNAVAILABLE before the first
   *     topology
   */
  public Map<String, Integer> of(String queue) {
    if (!received) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          "this load balancer has not received any queues yet; is a central manager running?");
    }
    if (!queues.contains(queue)) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_QUEUE,
          "queue '"
              + ShownText.of(queue)
              + "' is not defined; 'millrace queue list' shows the queues, 'millrace apply -f"
              + " FILE' defines one");
    }
    MillraceException refusal = closed.get(queue);
    if (refusal != null) {
      throw new MillraceException(refusal.code(), refusal.getMessage());
    }
    return weights.getOrDefault(queue, Map.of());
  }

  /**
   * A queue node chosen for a batch.
   *
   * @param node its name
   * @param address where its API answers
   */
  public record ForwardTarget(String node, URI address) {}
}
