package io.millrace.api.node;

import io.millrace.api.job.AttemptId;
import java.net.URI;
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
    List<AttemptId> live) {}
