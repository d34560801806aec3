package io.millrace.api.node;

import java.util.Map;

/**
 * What an execution node has for jobs in all.
 *
 * @param slots attempts of one slot each at the same time (M-09)
 * @param cpus processors; 0 for not stated, which bars nothing
 * @param memoryBytes memory for jobs; 0 for not stated, which bars nothing
 * @param resources named consumables, such as gpu; null for none
 * @param onlyAsked whether it takes only jobs that ask for it: by preferring the queue node beside
 *     it, or by requiring its name or a label (H-225)
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
