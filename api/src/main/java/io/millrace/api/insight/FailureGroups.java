package io.millrace.api.insight;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Failures grouped by their cause, the most frequent first.
 *
 * @param failures failures that were examined, the newest ones
 * @param more whether there are older ones that were not
 * @param ungrouped examined failures of rare causes, for which there was no group left
 * @param groups one for each cause
 * @param unreached queue nodes that did not answer; empty for jobs
 * @param names what items are called besides, by item; null if they have no other names
 */
public record FailureGroups(
    long failures,
    boolean more,
    long ungrouped,
    List<FailureGroup> groups,
    List<String> unreached,
    Map<String, String> names) {
  public FailureGroups {
    groups = List.copyOf(groups);
    unreached = List.copyOf(unreached);
  }

  /** Failures whose items have no other names. */
  public FailureGroups(
      long failures,
      boolean more,
      long ungrouped,
      List<FailureGroup> groups,
      List<String> unreached) {
    this(failures, more, ungrouped, groups, unreached, null);
  }

  /** The same failures, with names of items. */
  public FailureGroups named(Map<String, String> others) {
    return new FailureGroups(failures, more, ungrouped, groups, unreached, others);
  }

  /**
   * Failures with the same cause.
   *
   * @param cause how they ended, such as {@code exit code 3} or {@code memory limit}
   * @param line their last line of error output, with {@code #} for what differs; empty for none
   * @param count number of failures
   * @param items the newest of them: {@code 17}, {@code 17[3]}, or the handle of a dead letter
   * @param sample the newest one
   */
  public record FailureGroup(
      String cause, String line, long count, List<String> items, FailureSample sample) {
    public FailureGroup {
      items = List.copyOf(items);
    }
  }

  /**
   * One failure.
   *
   * @param item as in {@link FailureGroup#items}
   * @param job the job; null for a dead letter
   * @param attempt its last attempt; null if it had none, and for a dead letter
   * @param node where it failed; null if nowhere
   * @param at when it failed
   * @param text the end of the error output, or the reason; null for none
   */
  public record FailureSample(
      String item, Long job, Integer attempt, String node, Instant at, String text) {}
}
