package io.millrace.api.job;

import java.util.List;

/**
 * Why a job waits, and what it waited for.
 *
 * @param job the job
 * @param reasons why it waits now, the deciding one first; empty when it doesn't wait
 * @param nodes what each node of its pool says to it, by name; empty when it doesn't wait for one
 * @param waits what it waited for so far, oldest first; kept as long as the job
 */
public record JobExplanation(
    JobView job, List<WaitReason> reasons, List<NodeVerdict> nodes, List<WaitSpan> waits) {
  /**
   * Whether one node could take it.
   *
   * @param node its name
   * @param reason why not; null when it could
   */
  public record NodeVerdict(String node, WaitReason reason) {}
}
