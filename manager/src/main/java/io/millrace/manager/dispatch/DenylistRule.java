package io.millrace.manager.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides when quick failures of a definition deny it to a node, and for how long a refusal by the
 * node does. Pure.
 *
 * <p>A definition that fails on all nodes is not denied to any: then the node is not the cause. A
 * node that refuses a job's user is the cause, whatever other nodes do.
 */
final class DenylistRule {
  /** A failure within this time after the start counts as quick. */
  static final Duration QUICK = Duration.ofSeconds(5);

  private static final int ENOUGH = 3;
  private static final Duration FIRST = Duration.ofMinutes(1);
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final Duration RECENT = Duration.ofHours(1);
  // Shorter, because nothing ran: the only cost of a trial is an attempt that is refused.
  private static final Duration LONGEST_REFUSED = Duration.ofMinutes(10);

  private DenylistRule() {}

  /**
   * The state after one more quick failure.
   *
   * @param before the state before
   * @param reason human-readable description of the failure
   * @param startedAt when the attempt started
   * @param elsewhere the last success of the definition on another node
   * @param now by the database's clock
   */
  static QuickFailures failed(
      QuickFailures before,
      String reason,
      Instant startedAt,
      Optional<Instant> elsewhere,
      Instant now) {
    int count = before.count() + 1;
    boolean worksElsewhere = elsewhere.isPresent() && !elsewhere.get().plus(RECENT).isBefore(now);
    if (counted(before, startedAt, now) || count < ENOUGH || !worksElsewhere) {
      return new QuickFailures(count, before.times(), before.closedUntil(), reason);
    }
    return new QuickFailures(count, before.times() + 1, now.plus(length(before.times())), reason);
  }

  /**
   * The state after the node has refused a job of the definition.
   *
   * @param before the state before
   * @param reason why it refused it
   * @param at when it refused it
   * @param now by the database's clock
   */
  static QuickFailures refused(QuickFailures before, String reason, Instant at, Instant now) {
    if (counted(before, at, now)) {
      return before;
    }
    Duration length = length(before.times());
    return new QuickFailures(
        0,
        before.times() + 1,
        now.plus(length.compareTo(LONGEST_REFUSED) < 0 ? length : LONGEST_REFUSED),
        reason);
  }

  /** Attempts that started before a denial ended are no further evidence. */
  private static boolean counted(QuickFailures before, Instant startedAt, Instant now) {
    return before.closed(now)
        || (before.closedUntil() != null && startedAt.isBefore(before.closedUntil()));
  }

  private static Duration length(int times) {
    Duration doubled = FIRST.multipliedBy(1L << Math.min(times, 10));
    return doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
  }

  /**
   * Quick failures of one definition on one node since its last success there.
   *
   * @param count number in a row; 0 if the node has refused a job since
   * @param times how often it was denied to the node
   * @param closedUntil end of the last denial; null if it was never denied
   * @param reason human-readable description of the last failure
   */
  record QuickFailures(int count, int times, Instant closedUntil, String reason) {
    static final QuickFailures NONE = new QuickFailures(0, 0, null, "");

    /** Whether the node refused the last job. */
    boolean refused() {
      return count == 0;
    }

    /** Whether the node takes no job of the definition. */
    public boolean closed(Instant now) {
      return closedUntil != null && closedUntil.isAfter(now);
    }
  }
}
