package io.millrace.api.node;

import io.millrace.api.NodeStatus;
import io.millrace.api.job.AttemptId;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * An execution node as shown.
 *
 * @param id its id
 * @param name its name
 * @param address where it serves logs; null until it registers after a restoration
 * @param status whether it takes jobs
 * @param lost whether it was declared lost, whatever operators asked for
 * @param capacity what it has for jobs
 * @param usedSlots slots booked by recorded attempts
 * @param usedCpus processors booked
 * @param usedMemoryBytes memory booked
 * @param usedResources named consumables booked
 * @param pools pools it serves
 * @param attributes as registered
 * @param silentSeconds since its last heartbeat
 * @param attempts recorded and not ended
 * @param accepting whether the node accepts new attempts; false, for instance, if its disk is full
 * @param statusUntil when its maintenance ends, or its draining stops what is still running; null
 *     for none
 * @param statusReason why operators asked for that status; null if not stated
 * @param closures definitions on its denylist
 * @param clockOffsetMillis its clock minus the database's at its last request; null if unknown
 * @param version of Millrace; null if unknown
 * @param managers how many of the attempts are queue and task managers
 * @param stoppingManagers how many of the managers were asked to stop, so that they run elsewhere
 */
public record ExecutionNodeView(
    UUID id,
    String name,
    URI address,
    NodeStatus status,
    boolean lost,
    NodeCapacity capacity,
    int usedSlots,
    double usedCpus,
    long usedMemoryBytes,
    Map<String, Integer> usedResources,
    List<String> pools,
    Map<String, String> attributes,
    double silentSeconds,
    List<AttemptId> attempts,
    boolean accepting,
    Instant statusUntil,
    String statusReason,
    List<DenylistEntry> closures,
    Long clockOffsetMillis,
    String version,
    int managers,
    int stoppingManagers) {
  /** Longer than between heartbeats by default. */
  private static final double LONG_SILENCE_SECONDS = 5;

  /** Whether it has not sent heartbeats for a while; it need not be lost yet. */
  public boolean silent() {
    return silentSeconds >= LONG_SILENCE_SECONDS;
  }

  /** Whether it drains and holds nothing but managers, which do not end by themselves. */
  public boolean onlyManagersLeft() {
    return status == NodeStatus.DRAINING && managers > 0 && managers == attempts.size();
  }

  /**
   * A denylist entry: a definition of which different items failed on the node and succeeded
   * elsewhere, or a user whose job the node refused.
   *
   * @param definition what the jobs run, or {@code user:} and the name of the user
   * @param quickFailures different items that are the evidence; 0 if the node refused a job
   * @param until by the database's clock; then one job is tried
   * @param reason the evidence or the refusal, human-readable
   */
  public record DenylistEntry(String definition, int quickFailures, Instant until, String reason) {}
}
