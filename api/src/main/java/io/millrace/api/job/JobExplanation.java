package io.millrace.api.job;

import java.time.Instant;
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

  /**
   * One reason why a job waits.
   *
   * @param code stable
   * @param words for people, with the figures and names, for instance {@code no node matches memory
   *     >= 64GB: the best has 16GB}
   */
  public record WaitReason(WaitCode code, String words) {}

  /**
   * A time during which a job waited for one reason.
   *
   * @param code stable
   * @param words for people
   * @param from by the database's clock
   * @param until null while it lasts
   */
  public record WaitSpan(WaitCode code, String words, Instant from, Instant until) {}
}
