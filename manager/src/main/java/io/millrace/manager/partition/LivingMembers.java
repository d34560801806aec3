package io.millrace.manager.partition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.manager.partition.MemberDao.MemberRow;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The current members of a group, by name. Immutable.
 *
 * @param group its name
 * @param rows of the members
 */
record LivingMembers(String group, List<MemberRow> rows) {
  LivingMembers {
    rows = rows.stream().filter(MemberRow::isAlive).toList();
  }

  List<String> names() {
    return rows.stream().map(MemberRow::name).toList();
  }

  Set<Long> terms() {
    return rows.stream().map(MemberRow::term).collect(Collectors.toSet());
  }

  /**
   * The members that share a cycle: those at its begin, because members that join later wait for
   * the next one (C-08). All current members if none of those is left.
   *
   * @param revision the group's revision at the cycle's begin, which the terms of later members
   *     exceed
   */
  List<String> sharing(long revision) {
    List<String> there =
        rows.stream().filter(row -> row.term() <= revision).map(MemberRow::name).toList();
    return there.isEmpty() ? names() : there;
  }

  /**
   * Refuses a membership that has ended.
   *
   * @throws MillraceException CONFLICT when another process has joined under this name,
   *     UNKNOWN_GROUP when the membership has ended
   */
  void require(String name, long term) {
    if (rows.stream().noneMatch(row -> row.name().equals(name) && row.term() == term)) {
      throw ended(name);
    }
  }

  /** The reason why a membership has ended. */
  MillraceException ended(String name) {
    return names().contains(name)
        ? new MillraceException(
            ErrorCode.CONFLICT,
            "another process has since joined %s as %s; give every process a unique name"
                .formatted(group, name))
        : new MillraceException(
            ErrorCode.UNKNOWN_GROUP,
            "%s is no longer a member of %s: it left or was silent for too long; join again, without a term"
                .formatted(name, group));
  }
}
