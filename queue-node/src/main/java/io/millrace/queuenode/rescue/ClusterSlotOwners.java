package io.millrace.queuenode.rescue;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.client.CentralClient;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotTable;
import io.millrace.queuenode.rescue.SessionRescue.SlotOwners;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Finds and reaches the owners of slots through a central manager, in the name of an administrator:
 * their token goes to no queue node. Thread-safe; blocks.
 */
public final class ClusterSlotOwners implements SlotOwners {
  private final Supplier<CentralClient> central;

  /**
   * Owners of a cluster.
   *
   * @param central is asked for when it is needed
   */
  public ClusterSlotOwners(Supplier<CentralClient> central) {
    this.central = central;
  }

  @Override
  public String lostNode(UUID id) {
    QueueNodeView node =
        central.get().overview().queueNodes().stream()
            .filter(one -> one.id().equals(id))
            .findFirst()
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorCode.UNKNOWN_NODE,
                        "the cluster has no queue node with the id "
                            + id
                            + ", so that no slots wait for its sessions"));
    if (!node.lost()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "%s is not lost yet, so that its slots are its own; repeat the rescue when 'millrace node list' shows it as LOST"
              .formatted(node.name()));
    }
    return node.name();
  }

  @Override
  public SlotTable slots(String queue) {
    Topology now =
        central
            .get()
            .topology(null, Duration.ZERO)
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorCode.UNAVAILABLE,
                        "the central manager has no topology yet; try again"));
    if (now.queues().stream().noneMatch(one -> one.definition().name().equals(queue))) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_QUEUE,
          "no queue "
              + ShownText.of(queue)
              + " is defined; define it with 'millrace apply -f FILE'");
    }
    return now.weights().stream()
        .filter(row -> row.queue().equals(queue) && row.slots() != null)
        .map(QueueWeights::slots)
        .findFirst()
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.UNAVAILABLE,
                    "the slots of "
                        + ShownText.of(queue)
                        + " are not distributed yet; repeat the rescue in a minute"));
  }

  @Override
  public void send(String queue, SlotPage page) {
    central.get().sessions().rescued(queue, page);
  }
}
