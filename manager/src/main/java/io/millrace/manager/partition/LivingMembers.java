package io.millrace.manager.partition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.manager.partition.MemberDao.MemberRow;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Those of a group who live, in the order of their names. Immutable.
 *
 * @param group its name
 * @param rows of the members
 */
record LivingMembers(String group, List<MemberRow> rows) {
  LivingMembers {
    rows = rows.stream().filter(MemberRow::lives).toList();
  }

  List<String> names() {
    return rows.stream().map(MemberRow::name).toList();
  }

  Set<Long> terms() {
    return rows.stream().map(MemberRow::term).collect(Collectors.toSet());
  }

  /**
   * Who shares a cycle: who lived at its begin, for who joins later waits for the next one (C-08).
   * When nobody of those is left, all others are.
   *
   * @param revision the group's at the cycle's begin, which the terms of later lives exceed
   */
  List<String> sharing(long revision) {
    List<String> there =
        rows.stream().filter(row -> row.term() <= revision).map(MemberRow::name).toList();
    return there.isEmpty() ? names() : there;
  }

  /**
   * Refuses who does not live.
   *
   * @throws MillraceException CONFLICT when another process has begun a life of that name,
   *     UNKNOWN_GROUP when that one has ended
   */
  void require(String name, long term) {
    if (rows.stream().noneMatch(row -> row.name().equals(name) && row.term() == term)) {
      throw ended(name);
    }
  }

  /** Why a life of that name does not go on. */
  MillraceException ended(String name) {
    return names().contains(name)
        ? new MillraceException(
            ErrorCode.CONFLICT,
            "another process has joined "
                + group
                + " as "
                + name
                + " since; give every process a name of its own")
        : new MillraceException(
            ErrorCode.UNKNOWN_GROUP,
            name
                + " is no member of "
                + group
                + " any more: it left, or was silent for too long; join again, without a term");
  }
}
