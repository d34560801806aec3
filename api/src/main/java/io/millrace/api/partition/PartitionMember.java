package io.millrace.api.partition;

import java.time.Duration;
import java.time.Instant;

/**
 * A living member of a group.
 *
 * @param name by which the ring knows it
 * @param term of this life of it
 * @param ttl how long it may be silent
 * @param joinedAt by the database's clock
 * @param heardAt its last heartbeat, by the database's clock
 */
public record PartitionMember(
    String name, long term, Duration ttl, Instant joinedAt, Instant heardAt) {}
