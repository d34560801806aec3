package io.millrace.manager.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Decides on which evidence a definition is denied to a node, and for how long. Pure.
 *
 * <p>Attempts of one item (an element of an array, a job, an event) count once, and only if the
 * item succeeded on another node afterwards: what fails everywhere is not the node's fault. Where
 * items are not tried again, many in a row on a node without any success count, while as many
 * succeed on others. A node that refuses a job's user is the cause, whatever other nodes do.
 */
final class DenylistRule {
  /** A failure within this time after the start counts as quick. */
  static final Duration QUICK = Duration.ofSeconds(5);

  /** How long a failure is evidence. */
  static final Duration RECENT = Duration.ofHours(1);

  /** Items kept for one definition on one node. */
  static final int MOST_ITEMS = 20;

  private static final int PROVEN = 3;
  private static final int UNPROVEN = 10;
  private static final int MAX_NAMES = 3;
  private static final Duration FIRST = Duration.ofMinutes(1);
  private static final Duration LONGEST = Duration.ofHours(1);
  // Shorter, because nothing ran: the only cost of a trial is an attempt that is refused.
  private static final Duration LONGEST_REFUSED = Duration.ofMinutes(10);

  private DenylistRule() {}

  /**
   * The state after one more quick failure. If it was the trial, the earlier evidence stands until
   * a job of the definition succeeds on the node.
   *
   * @param before the state before
   * @param failures items that failed on the node since the last success there, the oldest first
   * @param startedAt when the attempt started
   * @param now by the database's clock
   */
  static Denial failed(
      Denial before, Collection<ItemFailure> failures, Instant startedAt, Instant now) {
    if (counted(before, startedAt, now)) {
      return before;
    }
    if (before.times() > 0 && !before.refused()) {
      return new Denial(
          before.count(), before.times() + 1, now.plus(length(before.times())), before.reason());
    }
    return judged(before, failures, now);
  }

  /** The state after a success on another node, which may be evidence. */
  static Denial judged(Denial before, Collection<ItemFailure> failures, Instant now) {
    if (before.times() > 0) {
      return before;
    }
    List<ItemFailure> proven =
        failures.stream().filter(failure -> failure.succeededOn() != null).toList();
    if (proven.size() >= PROVEN) {
      return new Denial(proven.size(), 1, now.plus(FIRST), proof(proven));
    }
    boolean alone =
        failures.size() >= UNPROVEN
            && failures.stream().mapToInt(ItemFailure::elsewhere).max().orElse(0) >= UNPROVEN;
    return alone ? new Denial(failures.size(), 1, now.plus(FIRST), contrast(failures)) : before;
  }

  private static String proof(List<ItemFailure> proven) {
    String nodes =
        proven.stream()
            .map(ItemFailure::succeededOn)
            .distinct()
            .limit(MAX_NAMES)
            .collect(Collectors.joining(", "));
    return "%s failed there soon after starting (%s) and then succeeded on %s"
        .formatted(names(proven), proven.get(proven.size() - 1).reason(), nodes);
  }

  private static String contrast(Collection<ItemFailure> failures) {
    List<ItemFailure> all = List.copyOf(failures);
    return "%s failed there soon after starting (%s) without a success, while at least %d succeeded on other nodes"
        .formatted(names(all), all.get(all.size() - 1).reason(), UNPROVEN);
  }

  private static String names(List<ItemFailure> failures) {
    String first =
        failures.stream().limit(MAX_NAMES).map(ItemFailure::item).collect(Collectors.joining(", "));
    int more = failures.size() - MAX_NAMES;
    return more > 0 ? first + " and " + more + " more" : first;
  }

  /**
   * The state after the node has refused a job of the definition.
   *
   * @param before the state before
   * @param reason why it refused it
   * @param at when it refused it
   * @param now by the database's clock
   */
  static Denial refused(Denial before, String reason, Instant at, Instant now) {
    if (counted(before, at, now)) {
      return before;
    }
    Duration length = length(before.times());
    return new Denial(
        0,
        before.times() + 1,
        now.plus(length.compareTo(LONGEST_REFUSED) < 0 ? length : LONGEST_REFUSED),
        reason);
  }

  /** Attempts that started before a denial ended are no further evidence. */
  private static boolean counted(Denial before, Instant startedAt, Instant now) {
    return before.inForce(now) || (before.until() != null && startedAt.isBefore(before.until()));
  }

  private static Duration length(int times) {
    Duration doubled = FIRST.multipliedBy(1L << Math.min(times, 10));
    return doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
  }

  /**
   * An item that failed quickly on a node.
   *
   * @param item what failed, in words that identify it
   * @param at when it failed there first
   * @param reason how
   * @param succeededOn the node on which it succeeded afterwards; null for none
   * @param elsewhere successes of its definition on other nodes since, counted up to a bound
   */
  record ItemFailure(String item, Instant at, String reason, String succeededOn, int elsewhere) {
    /** After a success of the definition on another node. */
    ItemFailure afterSuccess(String other, String node) {
      boolean same = succeededOn == null && item.equals(other);
      return new ItemFailure(
          item, at, reason, same ? node : succeededOn, Math.min(elsewhere + 1, UNPROVEN));
    }
  }

  /**
   * Why one definition, or one user, is denied to one node.
   *
   * @param count distinct items that are the evidence; 0 if the node has refused a job
   * @param times how often it was denied to the node
   * @param until end of the last denial; null if it was never denied
   * @param reason the evidence or the refusal, human-readable
   */
  record Denial(int count, int times, Instant until, String reason) {
    static final Denial NONE = new Denial(0, 0, null, "");

    /** Whether the node refused the last job. */
    boolean refused() {
      return count == 0;
    }

    /** Whether the node takes no job of the definition. */
    public boolean inForce(Instant now) {
      return until != null && until.isAfter(now);
    }
  }
}
