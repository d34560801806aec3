package io.millrace.api.partition;

import java.util.List;

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
