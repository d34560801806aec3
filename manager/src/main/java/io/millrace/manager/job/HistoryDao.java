package io.millrace.manager.job;

import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.JobColumns.ColumnText;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The histories of jobs. Stateless. */
public final class HistoryDao {
  /**
   * One line of a job's history.
   *
   * @param job the job's id
   * @param state the state entered
   * @param attempt 0 for none
   * @param event human-readable description of what happened
   */
  public record Line(long job, JobState state, int attempt, String event) {}

  public void write(Handle handle, List<Line> lines, Instant now) {
    if (lines.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into job_event (job_id, happened_at, state, attempt_number, words)
            values (:id, :now, :state, :attempt, :words)
            """);
    for (Line line : lines) {
      batch
          .bind("id", line.job())
          .bind("now", now)
          .bind("state", line.state().name())
          .bind("attempt", line.attempt())
          .bind("words", ColumnText.start(line.event()))
          .add();
    }
    batch.execute();
  }

  /** Those of the jobs that have a history. */
  Set<Long> having(Handle handle, Collection<Long> jobs) {
    return new HashSet<>(
        handle
            .createQuery("select distinct job_id from job_event where job_id in (<jobs>)")
            .bindList("jobs", List.copyOf(jobs))
            .mapTo(Long.class)
            .list());
  }

  /**
   * The lines that were written of a job, oldest first; those of an element of an array are not all
   * of its history, see {@link ElementHistory}.
   */
  public List<JobEvent> of(Handle handle, long job) {
    return handle
        .createQuery(
            """
            select happened_at as at, state, attempt_number as attempt, words
            from job_event
            where job_id = :id
            order by id
            """)
        .bind("id", job)
        .map(ConstructorMapper.of(JobEvent.class))
        .list();
  }
}
