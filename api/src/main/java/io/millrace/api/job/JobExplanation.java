package io.millrace.api.job;

import java.time.Instant;
import java.util.List;

/**
 * Why a job is waiting, and what it has waited for.
 *
 * @param job the job
 * @param reasons why it waits now, the decisive one first; empty if it is not waiting
 * @param nodes whether each node of its pool could take it, by name; empty if it is not waiting for
 *     a node
 * @param waits what it has waited for so far, oldest first; kept as long as the job
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

  /**
   * One reason why a job waits.
   *
   * @param code stable
   * @param words human-readable, with the figures and names, for instance {@code no node matches
   *     memory >= 64GB: the best has 16GB}
   */
  public record WaitReason(WaitCode code, String words) {}

  /**
   * A time during which a job waited for one reason.
   *
   * @param code stable
   * @param words human-readable
   * @param from by the database's clock
   * @param until null while it continues
   */
  public record WaitSpan(WaitCode code, String words, Instant from, Instant until) {}
}
