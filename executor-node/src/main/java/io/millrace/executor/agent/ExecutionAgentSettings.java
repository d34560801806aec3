package io.millrace.executor.agent;

import io.millrace.api.DataSize;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The agent's identity and how it stops.
 *
 * @param id the node's permanent id
 * @param name the node's name
 * @param pools the pools it serves
 * @param capacity what it has for jobs
 * @param attributes what jobs can require
 * @param version of Millrace
 * @param dataDirectory the parent of its attempts' directories
 * @param diskReserve free space that is required for new work
 * @param stopWithin how long attempts have to end when the node stops, before they are killed
 * @param keepRunningOnStop whether processes continue instead, for the next agent to take over
 */
public record ExecutionAgentSettings(
    UUID id,
    String name,
    List<String> pools,
    NodeCapacity capacity,
    Map<String, String> attributes,
    String version,
    Path dataDirectory,
    DataSize diskReserve,
    Duration stopWithin,
    boolean keepRunningOnStop) {
  public ExecutionAgentSettings {
    pools = List.copyOf(pools);
    attributes = Map.copyOf(attributes);
  }
}
