package io.millrace.api.node;

import io.millrace.api.job.AttemptId;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * How an execution node makes itself known, at its start and whenever it was forgotten.
 *
 * @param id the node's own id, for life (M-05)
 * @param name its name, unique in the cluster
 * @param address where it serves logs
 * @param capacity what it has for jobs
 * @param pools pools it serves
 * @param attributes what jobs may require besides the capacity: os, arch, {@code label.…}, {@code
 *     software.…}
 * @param version of Millrace; null from before it was said
 * @param live attempts that the node holds: those that still run, and those that have ended and are
 *     not reported yet
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

  /**
   * What the node does with the attempts it listed, before it starts new work.
   *
   * @param keep still current: watch on
   * @param end not current any more: end them
   * @param heartbeat send one so often
   * @param lease counted dead after so long without one
   */
  public record RegistrationAnswer(
      List<AttemptId> keep, List<AttemptId> end, Duration heartbeat, Duration lease) {}

  /**
   * What an execution node has for jobs in all.
   *
   * @param slots attempts of one slot each at the same time (M-09)
   * @param cpus processors; 0 for not stated, which bars nothing
   * @param memoryBytes memory for jobs; 0 for not stated, which bars nothing
   * @param resources named consumables, such as gpu; null for none
   * @param onlyAsked whether it takes only jobs that ask for it: by preferring the queue node
   *     beside it, or by requiring its name or a label (H-225)
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
