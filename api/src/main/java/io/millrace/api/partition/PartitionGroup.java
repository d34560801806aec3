package io.millrace.api.partition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import java.time.Duration;
import java.time.Instant;
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

  /**
   * How far one cycle of a group came.
   *
   * @param number counts the group's cycles
   * @param begin a multiple of the interval since 1970, by the database's clock
   * @param interval how often the group polls
   * @param total resources of the cycle
   * @param done how many of them are recorded as polled
   * @param again how many were given to a second member, because the first was lost or left with
   *     them in its hands
   */
  public record PartitionCycle(
      long number, Instant begin, Duration interval, long total, long done, long again) {}

  /**
   * Joins a group, or says in time that one still lives (C-06).
   *
   * @param name of the member, such as its host's
   * @param ttl how long it may be silent before it counts as lost; 3 s to 1 h, 10 s unless given
   * @param term the answer's to the joining, with which its own life goes on; null begins a new
   *     life, which ends an earlier one of the same name
   */
  public record MemberRequest(String name, Duration ttl, Long term) {
    private static final Duration USUAL = Duration.ofSeconds(10);
    private static final Duration LEAST = Duration.ofSeconds(3);
    private static final Duration MOST = Duration.ofHours(1);

    public MemberRequest {
      Names.require("name", name, ErrorCode.INVALID_REQUEST);
      ttl = ttl == null ? USUAL : ttl;
      if (ttl.compareTo(LEAST) < 0 || ttl.compareTo(MOST) > 0) {
        throw new MillraceException(ErrorCode.INVALID_REQUEST, "ttl is 3s to 1h");
      }
    }
  }

  /**
   * A member's place in its group.
   *
   * @param group the group
   * @param member its name
   * @param term of this life of it; to be said with each renewal
   * @param revision rises whenever somebody joins, leaves or is lost
   * @param members who lives, by name
   */
  public record Membership(
      String group, String member, long term, long revision, List<String> members) {
    public Membership {
      members = List.copyOf(members);
    }
  }
}
