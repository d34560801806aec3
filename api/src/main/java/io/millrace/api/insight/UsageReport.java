package io.millrace.api.insight;

import java.util.List;

/**
 * What jobs used in a period of whole days (UTC). An attempt counts on the day on which it ended.
 *
 * @param by what the rows are
 * @param from the first day, such as {@code 2026-03-01}; not before {@code keptFrom} unless the
 *     whole period is
 * @param to the last day
 * @param keptFrom the first day of which figures are kept; earlier days are not counted. Null from
 *     central managers of earlier versions
 * @param rows the largest, by slot time
 * @param names number of rows that there are
 * @param total the sum of all rows
 */
public record UsageReport(
    UsageBy by,
    String from,
    String to,
    String keptFrom,
    List<UsageRow> rows,
    long names,
    UsageRow total) {
  public UsageReport {
    rows = List.copyOf(rows);
  }

  /** What use is added up by. */
  public enum UsageBy {
    /** Owner of the jobs: a user, {@code task:NAME} or a queue. */
    OWNER,
    /** Queue, for its workers and managers; other jobs are left out. */
    QUEUE,
    /** Task, for all jobs of its runs; other jobs are left out. */
    TASK
  }

  /**
   * What the jobs of one name used.
   *
   * @param name owner, queue or task
   * @param runs attempts that started
   * @param failures attempts that did not succeed, except those that were stopped
   * @param runSeconds time from their starts to their ends
   * @param slotSeconds the same times the slots that they took
   * @param cpuSeconds processor time, as far as it was measured
   * @param memoryGibHours the most memory that each used, for the time that it ran
   */
  public record UsageRow(
      String name,
      long runs,
      long failures,
      double runSeconds,
      double slotSeconds,
      double cpuSeconds,
      double memoryGibHours) {}
}
