package io.millrace.manager.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * When quick failures close a node to a definition. Pure.
 *
 * <p>A definition that fails everywhere closes nothing: then the fault is its own.
 */
final class DenylistRule {
  /** A failure so soon after the start counts. */
  static final Duration QUICK = Duration.ofSeconds(5);

  private static final int ENOUGH = 3;
  private static final Duration FIRST = Duration.ofMinutes(1);
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final Duration RECENT = Duration.ofHours(1);

  private DenylistRule() {}

  /**
   * After one more quick failure.
   *
   * @param before what was known
   * @param reason the failure, for people
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
    // What had been started before it was closed tells nothing new.
    boolean counted =
        before.closed(now)
            || (before.closedUntil() != null && startedAt.isBefore(before.closedUntil()));
    if (counted || count < ENOUGH || !worksElsewhere) {
      return new QuickFailures(count, before.times(), before.closedUntil(), reason);
    }
    return new QuickFailures(count, before.times() + 1, now.plus(length(before.times())), reason);
  }

  private static Duration length(int times) {
    Duration doubled = FIRST.multipliedBy(1L << Math.min(times, 10));
    return doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
  }

  /**
   * Quick failures of one definition on one node since its last success there.
   *
   * @param count in a row
   * @param times how often the node was closed to it
   * @param closedUntil end of the last closure; null when it was never closed
   * @param reason the last failure, for people
   */
  record QuickFailures(int count, int times, Instant closedUntil, String reason) {
    static final QuickFailures NONE = new QuickFailures(0, 0, null, "");

    /** Whether the node takes no job of the definition at all. */
    public boolean closed(Instant now) {
      return closedUntil != null && closedUntil.isAfter(now);
    }
  }
}
