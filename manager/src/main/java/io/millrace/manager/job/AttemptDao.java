package io.millrace.manager.job;

import io.millrace.api.insight.QueueDetails.FailedRun;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Usage;
import io.millrace.api.node.AttemptReport;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;

/** Reads the table {@code attempt}. Stateless. */
public final class AttemptDao {
  private static final RowMapper<FailedRun> FAILED_RUN =
      (row, context) ->
          new FailedRun(
              new AttemptId(row.getLong("job_id"), row.getInt("attempt_number")),
              row.getString("node_name"),
              JobColumns.instant(row, "ended_at"),
              JobColumns.integer(row, "exit_code"),
              JobColumns.integer(row, "signal_number"),
              row.getString("reason"),
              row.getString("stderr_tail"));

  /** A job's attempts, oldest first. */
  public List<AttemptView> of(Handle handle, long job) {
    return handle
        .createQuery(
            """
            select *
            from attempt
            where job_id = :id
            order by attempt_number
            """)
        .bind("id", job)
        .map(
            (row, context) ->
                new AttemptView(
                    row.getInt("attempt_number"),
                    row.getString("node_name"),
                    JobState.valueOf(row.getString("state")),
                    JobColumns.instant(row, "recorded_at"),
                    JobColumns.instant(row, "started_at"),
                    JobColumns.instant(row, "ended_at"),
                    JobColumns.outcome(row),
                    JobColumns.integer(row, "exit_code"),
                    JobColumns.integer(row, "signal_number"),
                    row.getString("reason"),
                    row.getString("stderr_tail"),
                    row.getString("cause"),
                    usage(row)))
        .list();
  }

  private static Usage usage(ResultSet row) throws SQLException {
    Long cpuMillis = JobColumns.number(row, "cpu_millis");
    return cpuMillis == null
        ? null
        : new Usage(
            cpuMillis,
            row.getLong("memory_bytes"),
            row.getLong("read_bytes"),
            row.getLong("written_bytes"));
  }

  /** The node that an attempt was placed on. */
  public Optional<UUID> node(Handle handle, AttemptId attempt) {
    return handle
        .createQuery(
            """
            select node_id
            from attempt
            where job_id = :id and attempt_number = :attempt
            """)
        .bind("id", attempt.job())
        .bind("attempt", attempt.number())
        .mapTo(String.class)
        .findOne()
        .map(UUID::fromString);
  }

  /**
   * The ends that the same node has already reported with the same result: the answer was lost, so
   * it repeats them. Attempts that were declared lost are not among them.
   */
  public Set<AttemptId> alreadyReported(Handle handle, UUID node, Collection<AttemptReport> ends) {
    if (ends.isEmpty()) {
      return Set.of();
    }
    Map<AttemptId, AttemptReport> byAttempt =
        ends.stream().collect(Collectors.toMap(AttemptReport::attempt, Function.identity()));
    Set<AttemptId> known = new HashSet<>();
    handle
        .createQuery(
            """
            select job_id, attempt_number, outcome, exit_code
            from attempt
            where job_id in (<ids>) and node_id = :node and ended_at is not null
                and outcome != 'LOST'
            """)
        .bindList("ids", byAttempt.keySet().stream().map(AttemptId::job).distinct().toList())
        .bind("node", node.toString())
        .map(
            (row, context) -> {
              AttemptId id = new AttemptId(row.getLong("job_id"), row.getInt("attempt_number"));
              AttemptReport end = byAttempt.get(id);
              boolean same =
                  end != null
                      && end.result().outcome() == JobColumns.outcome(row)
                      && Objects.equals(
                          end.result().exitCode(), JobColumns.integer(row, "exit_code"));
              return same ? Optional.of(id) : Optional.<AttemptId>empty();
            })
        .forEach(id -> id.ifPresent(known::add));
    return known;
  }

  /** The queue's last worker run that failed by itself. */
  public Optional<FailedRun> lastFailedWorker(Handle handle, String queue) {
    return handle
        .createQuery(
            """
            select a.*
            from job j
            join attempt a on a.job_id = j.id and a.attempt_number = j.attempt_number
            where j.queue = :queue and j.kind = 'WORKER' and j.state = 'FAILED'
                and a.outcome not in ('LOST', 'STOPPED')
            order by j.id desc
            limit 1
            """)
        .bind("queue", queue)
        .map(FAILED_RUN)
        .findOne();
  }

  /** The last attempt of a job that failed. */
  public Optional<FailedRun> lastRun(Handle handle, long job) {
    return handle
        .createQuery(
            """
            select *
            from attempt
            where job_id = :job
            order by job_id desc, attempt_number desc
            limit 1
            """)
        .bind("job", job)
        .map(FAILED_RUN)
        .findOne();
  }
}
