package io.millrace.api.partition;

import java.util.List;

/**
 * A group as it stands.
 *
 * @param name the scope: those who find the same resources share a group (C-05)
 * @param revision rises whenever somebody joins, leaves or is lost
 * @param members who lives, by name
 * @param cycles the latest first; none when its members report nothing
 */
public record PartitionGroup(
    String name, long revision, List<PartitionMember> members, List<PartitionCycle> cycles) {
  public PartitionGroup {
    members = List.copyOf(members);
    cycles = List.copyOf(cycles);
  }
}
