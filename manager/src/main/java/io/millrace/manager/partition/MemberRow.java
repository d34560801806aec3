package io.millrace.manager.partition;

import io.millrace.api.partition.PartitionMember;
import java.time.Duration;
import java.time.Instant;

/**
 * A member as stored.
 *
 * @param group its group
 * @param name its name there
 * @param term of this life
 * @param ttl how long it may be silent
 * @param beats heartbeats of this life so far
 * @param joinedAt by the database's clock
 * @param heardAt by the database's clock
 * @param leftAt when it said goodbye; null while it lives
 */
public record MemberRow(
    String group,
    String name,
    long term,
    Duration ttl,
    long beats,
    Instant joinedAt,
    Instant heardAt,
    Instant leftAt) {
  public boolean lives() {
    return leftAt == null;
  }

  public PartitionMember view() {
    return new PartitionMember(name, term, ttl, joinedAt, heardAt);
  }
}
