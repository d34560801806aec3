package io.millrace.manager.job;

import io.millrace.api.Pure;
import io.millrace.api.insight.FailureGroups;
import io.millrace.api.insight.FailureGroups.FailureGroup;
import io.millrace.api.insight.FailureGroups.FailureSample;
import io.millrace.manager.job.FailureText.Cause;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Groups failures by their cause, in memory that does not grow with their number. Not thread-safe;
 * used for one answer.
 */
@Pure
public final class FailureGrouping {
  /** Most failures that are examined for one answer. */
  public static final int MAX_EXAMINED = 10_000;

  /** Most groups; failures of further causes are only counted. */
  static final int MAX_GROUPS = 100;

  /** Most failures that a group names. */
  static final int MAX_ITEMS = 20;

  private static final int MAX_SAMPLE = 2_000;

  private final Map<Cause, Group> groups = new LinkedHashMap<>();
  private long failures;
  private long ungrouped;

  /** Adds a failure; the newest is added first. */
  public void add(Cause cause, FailureSample failure) {
    failures++;
    Group group = groups.get(cause);
    if (group == null && groups.size() >= MAX_GROUPS) {
      ungrouped++;
      return;
    }
    if (group == null) {
      group = new Group(sample(failure));
      groups.put(cause, group);
    }
    group.count++;
    if (group.items.size() < MAX_ITEMS) {
      group.items.add(failure.item());
    }
  }

  /** Number of failures added. */
  public long failures() {
    return failures;
  }

  /**
   * The groups.
   *
   * @param more whether there are failures that were not added
   * @param unreached who could not be asked for more
   */
  public FailureGroups answer(boolean more, List<String> unreached) {
    List<FailureGroup> sorted = new ArrayList<>();
    groups.forEach(
        (cause, group) ->
            sorted.add(
                new FailureGroup(
                    cause.cause(), cause.line(), group.count, group.items, group.sample)));
    sorted.sort(Comparator.comparingLong(FailureGroup::count).reversed());
    return new FailureGroups(failures, more, ungrouped, sorted, unreached);
  }

  // The cause of a failure is at the end of what it wrote.
  private static FailureSample sample(FailureSample failure) {
    String text = failure.text();
    if (text == null || text.length() <= MAX_SAMPLE) {
      return failure;
    }
    return new FailureSample(
        failure.item(),
        failure.job(),
        failure.attempt(),
        failure.node(),
        failure.at(),
        text.substring(text.length() - MAX_SAMPLE));
  }

  /** The failures with one cause. */
  private static final class Group {
    private final FailureSample sample;
    private final List<String> items = new ArrayList<>();
    private long count;

    Group(FailureSample sample) {
      this.sample = sample;
    }
  }
}
