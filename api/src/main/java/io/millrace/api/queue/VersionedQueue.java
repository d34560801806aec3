package io.millrace.api.queue;

/**
 * A queue's definition with its version.
 *
 * @param definition the definition
 * @param version from 1
 */
public record VersionedQueue(QueueDefinition definition, int version) {}
