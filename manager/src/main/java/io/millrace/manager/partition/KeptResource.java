package io.millrace.manager.partition;

import io.millrace.api.Pure;

/**
 * A resource as a cycle has it.
 *
 * @param name of the resource
 * @param owner whose it is, by its name on the ring
 * @param holder term of the life that has it in its hands in this cycle; 0 when it waits or is done
 */
@Pure
public record KeptResource(String name, String owner, long holder) {}
