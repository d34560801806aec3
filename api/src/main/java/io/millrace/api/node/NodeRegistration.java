package io.millrace.api.node;

import io.millrace.api.job.AttemptId;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * An execution node's registration, at its start and whenever the cluster does not know it any
 * more.
 *
 * @param id the node's id, which never changes (M-05)
 * @param name its name, unique in the cluster
 * @param address where it serves logs
 * @param capacity what it has for jobs
 * @param pools pools it serves
 * @param attributes what jobs can require besides capacity: os, arch, {@code label.…}, {@code
 *     software.…}; and {@link AcceptedUsers}
 * @param version of Millrace; null if not stated
 * @param live attempts that the node holds: running ones, and ended ones that are not reported yet
 */
public record NodeRegistration(
    UUID id,
    String name,
    URI address,
    NodeCapacity capacity,
    List<String> pools,
    Map<String, String> attributes,
    String version,
    List<AttemptId> live) {
  /** The most characters of the attributes, as JSON. */
  public static final int LONGEST_ATTRIBUTES = 4_000;

  /**
   * What the node must do with the attempts it listed, before it starts new work.
   *
   * @param keep still current: continue them
   * @param end no longer current: end them
   * @param heartbeat interval of heartbeats
   * @param lease time without a heartbeat after which the node is considered lost
   */
  public record RegistrationAnswer(
      List<AttemptId> keep, List<AttemptId> end, Duration heartbeat, Duration lease) {}

  /**
   * The capacity that an execution node offers to jobs.
   *
   * @param slots attempts of one slot each at the same time (M-09)
   * @param cpus processors; 0 if not stated, which excludes no job
   * @param memoryBytes memory for jobs; 0 if not stated, which excludes no job
   * @param resources named consumables, such as gpu; null for none
   * @param onlyAsked whether it takes only jobs that ask for it, by preferring the queue node next
   *     to it or by requiring its name or a label (H-225)
   */
  public record NodeCapacity(
      int slots, double cpus, long memoryBytes, Map<String, Integer> resources, boolean onlyAsked) {
    public NodeCapacity {
      resources = resources == null ? Map.of() : Map.copyOf(resources);
    }

    /** Only slots. */
    public static NodeCapacity ofSlots(int slots) {
      return new NodeCapacity(slots, 0, 0, null, false);
    }
  }
}
