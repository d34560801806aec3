package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.api.job.JobExplanation.NodeVerdict;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.manager.placement.PlacementSnapshot.ReadyJob;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What placement decided.
 *
 * @param placements in dispatch order
 * @param charges what the starts cost each share
 * @param waiting why lines that are left wait
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
   * One job for one node.
   *
   * @param job the job
   * @param shape what it books
   * @param node the node's id
   * @param nodeName the node's name
   */
  @Pure
  public record Placement(ReadyJob job, Shape shape, UUID node, String nodeName) {}

  /**
   * What a plan does to a share's turn.
   *
   * @param pass the share's pass afterwards
   * @param startTag its pass right before its last start
   * @param slots slots of the jobs that it starts
   */
  @Pure
  public record ShareCharge(double pass, double startTag, long slots) {}

  /**
   * Why the jobs of a shape that were not placed go on waiting.
   *
   * @param shapeId the shape
   * @param head the oldest of them
   * @param reason why it waits; true of the others too unless they prefer other nodes
   */
  @Pure
  public record ShapeVerdict(long shapeId, ReadyJob head, WaitReason reason) {}

  /**
   * What the nodes of its pool say to one job.
   *
   * @param reason why none takes it; null when one could
   * @param nodes what each says, by name
   */
  @Pure
  public record JobVerdict(WaitReason reason, List<NodeVerdict> nodes) {
    public JobVerdict {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * How far a share has come in one pool (stride scheduling).
   *
   * @param weight its part in proportion to the weights of others
   * @param pass what its starts cost so far, divided by its weight; the lowest goes first
   */
  @Pure
  public record ShareTurn(double weight, double pass) {}
}
