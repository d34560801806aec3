package io.millrace.manager.job;

import static java.util.stream.Collectors.toMap;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobView.ProgramProgress;
import io.millrace.api.job.ReportedProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** The table {@code program_progress}: the newest report of each job's program. Stateless. */
public final class ProgramProgressDao {
  private static final double ALL = 100;
  // Shorter times say nothing about a rate.
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  // Ten years, so that a program that hardly moves is not expected after the end of the calendar.
  private static final double LONGEST_MILLIS = 3650 * 86_400_000.0;

  /**
   * A report of a job's attempt.
   *
   * @param attempt its number
   * @param progress as shown
   */
  public record AttemptProgress(int attempt, ProgramProgress progress) {}

  /** Those of the attempts that are current on the node, with the array of each; 0 for none. */
  public Map<AttemptId, Long> current(Handle handle, UUID node, Collection<AttemptId> attempts) {
    Map<AttemptId, Long> current = new HashMap<>();
    handle
        .createQuery(
            """
            select b.job_id, b.attempt_number, j.array_id
            from booking b
            join job j on j.id = b.job_id
            where b.job_id in (<ids>) and b.node_id = :node
            """)
        .bindList("ids", attempts.stream().map(AttemptId::job).distinct().toList())
        .bind("node", node.toString())
        .map(
            (row, context) ->
                Map.entry(
                    new AttemptId(row.getLong("job_id"), row.getInt("attempt_number")),
                    row.getLong("array_id")))
        .forEach(found -> current.put(found.getKey(), found.getValue()));
    current.keySet().retainAll(attempts);
    return current;
  }

  /**
   * Records a report, unless there is one of a later attempt.
   *
   * @param array the array of which the job is an element; 0 for none
   */
  public void write(
      Handle handle, AttemptId attempt, long array, ReportedProgress progress, Instant now) {
    if (!update(handle, attempt, progress, now)) {
      insert(handle, attempt, array, progress, now);
    }
  }

  /** Records the first report of a job; nothing if there is one. */
  void insert(
      Handle handle, AttemptId attempt, long array, ReportedProgress progress, Instant now) {
    handle
        .createUpdate(
            """
            insert ignore into program_progress (job_id, attempt_number, array_id, percent,
                done_units, total_units, message, reported_at, first_percent, first_at)
            values (:id, :attempt, :array, :percent, :done, :total, :message, :now, :percent, :now)
            """)
        .bind("id", attempt.job())
        .bind("attempt", attempt.number())
        .bind("array", array == 0 ? null : array)
        .bind("percent", progress.percent())
        .bind("done", progress.done())
        .bind("total", progress.total())
        .bind("message", progress.message())
        .bind("now", now)
        .execute();
  }

  /** Records a report over one of the same attempt or an earlier one; false if there is none. */
  boolean update(Handle handle, AttemptId attempt, ReportedProgress progress, Instant now) {
    // MySQL assigns from left to right and reads the new values: the first report is decided before
    // what it is decided by.
    return handle
            .createUpdate(
                """
                update program_progress
                set first_at = case
                        when attempt_number = :attempt and first_percent <= :percent then first_at
                        else :now end,
                    first_percent = case
                        when attempt_number = :attempt and first_percent <= :percent
                            then first_percent
                        else :percent end,
                    attempt_number = :attempt, percent = :percent, done_units = :done,
                    total_units = :total, message = :message, reported_at = :now
                where job_id = :id and attempt_number <= :attempt
                """)
            .bind("id", attempt.job())
            .bind("attempt", attempt.number())
            .bind("percent", progress.percent())
            .bind("done", progress.done())
            .bind("total", progress.total())
            .bind("message", progress.message())
            .bind("now", now)
            .execute()
        > 0;
  }

  /** Deletes the report of a job. */
  public void delete(Handle handle, long job) {
    handle
        .createUpdate("delete from program_progress where job_id = :id")
        .bind("id", job)
        .execute();
  }

  /** The newest reports of the jobs, by job. */
  public Map<Long, AttemptProgress> of(Handle handle, Collection<Long> jobs) {
    return handle
        .createQuery(
            """
            select *
            from program_progress
            where job_id in (<ids>)
            """)
        .bindList("ids", List.copyOf(jobs))
        .map(
            (row, context) -> {
              Double percent = row.getObject("percent") == null ? null : row.getDouble("percent");
              Instant at = JobColumns.instant(row, "reported_at");
              Double first =
                  row.getObject("first_percent") == null ? null : row.getDouble("first_percent");
              return Map.entry(
                  row.getLong("job_id"),
                  new AttemptProgress(
                      row.getInt("attempt_number"),
                      new ProgramProgress(
                          percent,
                          JobColumns.number(row, "done_units"),
                          JobColumns.number(row, "total_units"),
                          row.getString("message"),
                          at,
                          expectedEnd(first, JobColumns.instant(row, "first_at"), percent, at))));
            })
        .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /**
   * What the running elements of arrays have reported, as full elements: two that are half done
   * count as one; arrays without any are left out.
   */
  public Map<Long, ElementSum> elements(Handle handle, Collection<Long> arrays) {
    if (arrays.isEmpty()) {
      return Map.of();
    }
    return handle
        .createQuery(
            """
            select p.array_id, sum(p.percent) as percents, max(p.reported_at) as reported_at
            from program_progress p
            join booking b on b.job_id = p.job_id and b.attempt_number = p.attempt_number
            where p.array_id in (<ids>) and p.percent is not null
            group by p.array_id
            """)
        .bindList("ids", List.copyOf(arrays))
        .map(
            (row, context) ->
                Map.entry(
                    row.getLong("array_id"),
                    new ElementSum(
                        row.getDouble("percents") / ALL, JobColumns.instant(row, "reported_at"))))
        .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /**
   * The reports of an array's running elements together.
   *
   * @param done full elements
   * @param reportedAt the newest report
   */
  public record ElementSum(double done, Instant reportedAt) {}

  /** When it is complete at the mean rate since the first report; null if that is unknown. Pure. */
  static Instant expectedEnd(Double first, Instant firstAt, Double percent, Instant at) {
    if (first == null || percent == null || percent <= first) {
      return null;
    }
    Duration passed = Duration.between(firstAt, at);
    if (passed.compareTo(SHORTEST) < 0) {
      return null;
    }
    double left = passed.toMillis() * (ALL - percent) / (percent - first);
    return at.plusMillis((long) Math.min(left, LONGEST_MILLIS));
  }
}
