package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.api.job.JobExplanation.NodeVerdict;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.manager.placement.PlacementSnapshot.ReadyJob;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The decision of a placement.
 *
 * @param placements placements in dispatch order
 * @param charges the cost of the starts for each share
 * @param waiting why the remaining shapes wait
 */
@Pure
public record PlacementPlan(
    List<Placement> placements, Map<String, ShareCharge> charges, List<ShapeVerdict> waiting) {
  public PlacementPlan {
    placements = List.copyOf(placements);
    charges = Map.copyOf(charges);
    waiting = List.copyOf(waiting);
  }

  /**
   * The placement of a job on a node.
   *
   * @param job the job
   * @param shape what it books
   * @param node the node's id
   * @param nodeName the node's name
   */
  @Pure
  public record Placement(ReadyJob job, Shape shape, UUID node, String nodeName) {}

  /**
   * The effect of a plan on a share.
   *
   * @param pass the share's pass afterwards
   * @param startTag its pass right before its last start
   * @param slots slots of the jobs that it starts
   */
  @Pure
  public record ShareCharge(double pass, double startTag, long slots) {}

  /**
   * Why the jobs of a shape that were not placed continue to wait.
   *
   * @param shapeId the shape
   * @param head the oldest of them
   * @param reason why it waits; applies to the others as well unless they prefer other nodes
   */
  @Pure
  public record ShapeVerdict(long shapeId, ReadyJob head, WaitReason reason) {}

  /**
   * The answers of the nodes of its pool to one job.
   *
   * @param reason why none takes it; null if one could
   * @param nodes the answer of each, by name
   */
  @Pure
  public record JobVerdict(WaitReason reason, List<NodeVerdict> nodes) {
    public JobVerdict {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * The position of a share in one pool (stride scheduling).
   *
   * @param weight its part in proportion to the weights of others
   * @param pass the cost of its starts so far, divided by its weight; the lowest goes first
   */
  @Pure
  public record ShareTurn(double weight, double pass) {}
}
