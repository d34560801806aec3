package io.millrace.api.queue;

import java.net.URI;
import java.util.UUID;

/**
 * A queue node that the database knows.
 *
 * @param id the node's own id
 * @param name its name
 * @param address where its API answers
 */
public record QueueNodeAddress(UUID id, String name, URI address) {}
