package io.millrace.manager.job.store;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.json.Json;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.manager.job.SegmentKey;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;

/** Inserts and locks rows of the table {@code job}. Stateless. */
public final class JobStore {
  /** The class of SQL states for broken constraints; the table has one besides its key. */
  private static final String INTEGRITY = "23";

  private static final String INSERT =
      "insert into job (name, kind, state, owner, priority, pool, slots, queue, segment_node,"
          + " near_node, single_name, spec, restarts, retry_max, retry_first_millis,"
          + " retry_longest_millis, attempt_number, failed_tries, lost_tries, short_runs,"
          + " submitted_at) values (:name, :kind, 'WAITING', :owner, :priority, :pool, :slots,"
          + " :queue, :segmentNode, :near, :single, :spec, :restarts, :retryMax, :retryFirst,"
          + " :retryLongest, 0, 0, 0, 0, :now)";

  /** Inserts waiting jobs; the ids come back in the order of the specs. */
  public List<Long> insert(
      Handle handle, JobKind kind, String owner, List<JobSpec> specs, Instant now) {
    PreparedBatch batch = handle.prepareBatch(INSERT);
    for (JobSpec spec : specs) {
      Optional<SegmentKey> segment = segment(spec);
      batch
          .bind("name", spec.name())
          .bind("kind", kind.name())
          .bind("owner", owner)
          .bind("priority", spec.priority())
          .bind("pool", spec.pool())
          .bind("slots", spec.slots())
          .bind("queue", segment.map(SegmentKey::queue).orElse(null))
          .bind("segmentNode", segment.map(SegmentKey::node).orElse(null))
          .bind("near", spec.preferredNode())
          .bind("single", spec.single())
          .bind("spec", Json.write(spec))
          .bind("restarts", spec.restart())
          .bind("retryMax", spec.retry().max())
          .bind("retryFirst", spec.retry().backoff().toMillis())
          .bind("retryLongest", spec.retry().maxBackoff().toMillis())
          .bind("now", now)
          .add();
    }
    try {
      return batch.executePreparedBatch("id").mapTo(Long.class).list();
    } catch (UnableToExecuteStatementException e) {
      throw duplicate(e) ? heldByAnother(specs, e) : e;
    }
  }

  private static Optional<SegmentKey> segment(JobSpec spec) {
    return spec.input() == null
        ? SegmentKey.ofManager(spec.single())
        : Optional.of(new SegmentKey(spec.input().queue(), spec.input().node()));
  }

  private static boolean duplicate(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql
          && sql.getSQLState() != null
          && sql.getSQLState().startsWith(INTEGRITY)) {
        return true;
      }
    }
    return false;
  }

  private static MillraceException heldByAnother(List<JobSpec> specs, Exception cause) {
    return new MillraceException(
        ErrorCode.CONFLICT,
        "another job holds one of the single-instance names "
            + specs.stream().map(JobSpec::single).filter(Objects::nonNull).toList()
            + " and has not ended; wait for it or cancel it first",
        cause);
  }

  /** Locks jobs by rising id, which is the order of locks everywhere; unknown ones are left out. */
  public List<JobFacts> lock(Handle handle, Collection<Long> ids) {
    if (ids.isEmpty()) {
      return List.of();
    }
    return handle
        .createQuery("select * from job where id in (<ids>) order by id for update")
        .bindList("ids", List.copyOf(ids))
        .map((row, context) -> Columns.facts(row))
        .list();
  }

  /** Locks one job. */
  public Optional<JobFacts> lock(Handle handle, long id) {
    return lock(handle, List.of(id)).stream().findFirst();
  }

  /** The live job of that single-instance name. */
  public Optional<Long> liveSingle(Handle handle, String single) {
    return handle
        .createQuery("select id from job where single_name = :single")
        .bind("single", single)
        .mapTo(Long.class)
        .findOne();
  }

  /** Notes that somebody wants a placed or running job to end. */
  public boolean askCancel(Handle handle, JobFacts job, String reason) {
    return handle
            .createUpdate(
                "update job set cancel_reason = :reason where id = :id and state = :state and"
                    + " attempt_number = :attempt")
            .bind("reason", Words.line(reason))
            .bind("id", job.id())
            .bind("state", job.state().name())
            .bind("attempt", job.attempt())
            .execute()
        == 1;
  }

  /** Makes an ended job wait again, as if new. */
  public boolean revive(Handle handle, JobFacts job, String single) {
    return handle
            .createUpdate(
                "update job set state = :waiting, failed_tries = 0, lost_tries = 0, short_runs ="
                    + " 0, reason = null, cancel_reason = null, ended_at = null, not_before ="
                    + " null, single_name = :single where id = :id and state = :state and"
                    + " attempt_number = :attempt")
            .bind("waiting", JobState.WAITING.name())
            .bind("single", single)
            .bind("id", job.id())
            .bind("state", job.state().name())
            .bind("attempt", job.attempt())
            .execute()
        == 1;
  }

  /** Says why waiting jobs wait; rows that say so already are not written again. */
  public void explain(Handle handle, Map<Long, String> reasons) {
    if (reasons.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            "update job set reason = :reason where id = :id and state = 'WAITING' and (reason is"
                + " null or reason != :reason)");
    reasons.forEach((id, reason) -> batch.bind("id", id).bind("reason", Words.line(reason)).add());
    batch.execute();
  }
}
