package io.millrace.executor.http;

import io.millrace.api.job.AttemptId;
import java.util.List;

/**
 * An execution node as it sees itself.
 *
 * @param name its name
 * @param registered whether a central manager knows it
 * @param slots slots it offers
 * @param used slots taken
 * @param attempts held: accepted, and their end not yet recorded by a central manager
 */
public record NodeStatus(
    String name, boolean registered, int slots, int used, List<AttemptId> attempts) {}
