package io.millrace.api.partition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The current state of a group.
 *
 * @param name the scope: programs that find the same resources share a group (C-05)
 * @param revision rises whenever somebody joins, leaves or is lost
 * @param members living members, by name
 * @param cycles the latest first; empty if its members report nothing
 */
public record PartitionGroup(
    String name, long revision, List<PartitionMember> members, List<PartitionCycle> cycles) {
  public PartitionGroup {
    members = List.copyOf(members);
    cycles = List.copyOf(cycles);
  }

  /**
   * A living member of a group.
   *
   * @param name its name on the ring
   * @param term of this membership
   * @param ttl silence after which it is considered lost
   * @param joinedAt by the database's clock
   * @param heardAt its last heartbeat, by the database's clock
   */
  public record PartitionMember(
      String name, long term, Duration ttl, Instant joinedAt, Instant heardAt) {}

  /**
   * The progress of one cycle of a group.
   *
   * @param number counts the group's cycles
   * @param begin a multiple of the interval since 1970, by the database's clock
   * @param interval how often the group polls
   * @param total resources of the cycle
   * @param done how many of them are recorded as polled
   * @param again how many were handed to a second member because the first was lost or left while
   *     holding them
   */
  public record PartitionCycle(
      long number, Instant begin, Duration interval, long total, long done, long again) {}

  /**
   * Joins a group, or renews the membership in time (C-06).
   *
   * @param name of the member, such as its host's
   * @param ttl silence after which it is considered lost; 3 s to 1 h, 10 s by default
   * @param term the term that the answer to joining gave, to renew that membership; null for a new
   *     membership, which ends an earlier one of the same name
   */
  public record MemberRequest(String name, Duration ttl, Long term) {
    private static final Duration USUAL = Duration.ofSeconds(10);
    private static final Duration MIN = Duration.ofSeconds(3);
    private static final Duration MAX = Duration.ofHours(1);

    public MemberRequest {
      Names.require("name", name, ErrorCode.INVALID_REQUEST);
      ttl = ttl == null ? USUAL : ttl;
      if (ttl.compareTo(MIN) < 0 || ttl.compareTo(MAX) > 0) {
        throw new MillraceException(ErrorCode.INVALID_REQUEST, "ttl must be from 3s to 1h");
      }
    }
  }

  /**
   * A member's position in its group.
   *
   * @param group the group
   * @param member its name
   * @param term of this membership; to be said with each renewal
   * @param revision rises whenever somebody joins, leaves or is lost
   * @param members living members, by name
   */
  public record Membership(
      String group, String member, long term, long revision, List<String> members) {
    public Membership {
      members = List.copyOf(members);
    }
  }
}
