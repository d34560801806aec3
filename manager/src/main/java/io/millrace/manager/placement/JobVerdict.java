package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.api.job.JobExplanation.NodeVerdict;
import io.millrace.api.job.WaitReason;
import java.util.List;

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
