package io.millrace.manager.partition;

import io.millrace.manager.partition.MemberDao.MemberRow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The members that share the resources of a cycle: those at its begin, also if they have left
 * since, because they finish their cycle first (C-07, C-08). For members that do not report; for
 * the others the assignment is stored with the cycle. Pure.
 *
 * @param begin of the cycle
 * @param members by name
 */
record CycleRoster(Instant begin, List<String> members) {
  CycleRoster {
    members = List.copyOf(members);
  }

  static CycleRoster of(List<MemberRow> rows, Duration interval, Instant now) {
    Instant begin = CycleTime.at(now, interval).begin();
    List<String> members =
        rows.stream()
            .filter(row -> reached(row.joinedAt(), begin, now))
            .filter(row -> row.isAlive() || !reached(row.leftAt(), begin, now))
            .map(MemberRow::name)
            .toList();
    return new CycleRoster(begin, members);
  }

  // A time in the future was written before the clock was set back: it counts as reached.
  private static boolean reached(Instant time, Instant begin, Instant now) {
    return !time.isAfter(begin) || time.isAfter(now);
  }
}
