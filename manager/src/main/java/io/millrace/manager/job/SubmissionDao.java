package io.millrace.manager.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.Demands.Demand;
import io.millrace.manager.job.JobColumns.ColumnText;
import io.millrace.manager.job.JobColumns.RetryColumns;
import io.millrace.manager.job.JobTotalDao.Changes;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;

/** Inserts rows of the table {@code job}. Stateless. */
public final class SubmissionDao {
  /** The class of SQL states for violated constraints; the table has one besides its key. */
  private static final String INTEGRITY = "23";

  private static final String INSERT =
      """
      insert into job (name, kind, state, owner, priority, pool, slots, queue,
          segment_node, near_node, single_name, spec, restarts, retry_max,
          retry_first_millis, retry_longest_millis, retry_on, retry_exit_codes,
          retry_final_exit_codes, attempt_number, failed_tries, lost_tries, short_runs,
          submitted_at, reason, cancel_reason, not_before, ended_at, share, definition,
          shape_id, cpu_millis, memory_bytes, tags, held, hold_reason, unmet, lane,
          deadline, failover_millis, notifies, is_array, array_id, array_index,
          next_cause)
      values (:name, :kind, :state, :owner, :priority, :pool, :slots, :queue,
          :segmentNode, :near, :single, :spec, :restarts, :retryMax, :retryFirst,
          :retryLongest, :retryOn, :retryExitCodes, :retryFinalExitCodes, 0, 0, 0, 0,
          :now, :reason, :cancelReason, :notBefore, :endedAt, :share, :definition, :shape,
          :cpu, :memory, :tags, :held, :holdReason, :unmet, :lane, :deadline, :failover,
          :notifies, :isArray, :array, :index, 'first')
      """;

  private final JobTotalDao totals = new JobTotalDao();

  /** Inserts jobs; returns their ids in the same order. */
  public List<Long> insert(Handle handle, List<NewRow> rows, Instant now) {
    PreparedBatch batch = handle.prepareBatch(INSERT);
    for (NewRow row : rows) {
      bindSpec(batch, row.job().spec());
      bindDemand(batch, row.demand());
      bindState(batch, row, now);
      batch.add();
    }
    try {
      List<Long> ids = batch.executePreparedBatch("id").mapTo(Long.class).list();
      countEnded(handle, rows);
      return ids;
    } catch (UnableToExecuteStatementException e) {
      throw duplicate(e) ? heldByAnother(rows, e) : e;
    }
  }

  // Jobs that can never start end at once.
  private void countEnded(Handle handle, List<NewRow> rows) {
    Changes changes = new Changes();
    for (NewRow row : rows) {
      JobSpec spec = row.job().spec();
      if (row.state().ended() && spec.array() == null) {
        String queue = segment(spec).map(SegmentKey::queue).orElse(null);
        changes.add(row.kind(), row.state(), queue, 1);
      }
    }
    totals.write(handle, changes);
  }

  private static void bindSpec(PreparedBatch batch, JobSpec spec) {
    Optional<SegmentKey> segment = segment(spec);
    RetryColumns.bind(batch, spec.retry());
    batch
        .bind("name", spec.name())
        .bind("priority", spec.priority())
        .bind("pool", spec.pool())
        .bind("slots", spec.slots())
        .bind("queue", segment.map(SegmentKey::queue).orElse(null))
        .bind("segmentNode", segment.map(SegmentKey::node).orElse(null))
        .bind("near", spec.preferredNode())
        .bind("spec", Json.write(spec))
        .bind("restarts", spec.restart())
        .bind("tags", Json.write(spec.tags()))
        .bind("held", spec.hold())
        .bind("holdReason", spec.hold() ? "submitted on hold" : null)
        .bind("lane", spec.lane())
        .bind("deadline", spec.deadline())
        .bind("failover", spec.failover() == null ? null : spec.failover().toMillis())
        .bind("notifies", spec.notification() != null);
  }

  private static void bindDemand(PreparedBatch batch, Demand demand) {
    batch
        .bind("share", demand.share())
        .bind("definition", demand.definition())
        .bind("shape", demand.shapeId())
        .bind("cpu", demand.cpuMillis())
        .bind("memory", demand.memoryBytes());
  }

  private static void bindState(PreparedBatch batch, NewRow row, Instant now) {
    NewJob job = row.job();
    boolean over = row.state().ended();
    batch
        .bind("kind", row.kind().name())
        .bind("state", row.state().name())
        .bind("owner", row.owner())
        .bind("now", now)
        .bind("single", over ? null : job.spec().single())
        .bind("reason", ColumnText.start(row.reason()))
        .bind("cancelReason", over ? ColumnText.start(row.reason()) : null)
        .bind("notBefore", over ? null : row.notBefore())
        .bind("endedAt", over ? now : null)
        .bind("unmet", row.unmet())
        .bind("isArray", job.spec().array() != null)
        .bind("array", job.array())
        .bind("index", job.index());
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

  private static MillraceException heldByAnother(List<NewRow> rows, Exception cause) {
    List<String> singles =
        rows.stream().map(row -> row.job().spec().single()).filter(Objects::nonNull).toList();
    return new MillraceException(
        ErrorCode.CONFLICT,
        "another job that has not ended holds one of the single-instance names %s; wait for it or cancel it first"
            .formatted(singles),
        cause);
  }

  /** Records the tags of new jobs, in the table {@code job_tag}. */
  public void insertTags(Handle handle, Map<Long, List<String>> tags) {
    PreparedBatch batch =
        handle.prepareBatch("insert into job_tag (tag, job_id) values (:tag, :id)");
    tags.forEach(
        (id, all) ->
            new HashSet<>(all).forEach(tag -> batch.bind("tag", tag).bind("id", id).add()));
    if (batch.size() > 0) {
      batch.execute();
    }
  }

  /**
   * A new job as it is inserted.
   *
   * @param job what was submitted
   * @param kind the kind of job
   * @param owner who submitted it
   * @param demand what it is placed and charged by
   * @param state its first state
   * @param unmet dependencies that are not met yet
   * @param reason why it is in that state; null if there is none
   * @param notBefore when it may start; null for at once
   */
  public record NewRow(
      NewJob job,
      JobKind kind,
      String owner,
      Demand demand,
      JobState state,
      int unmet,
      String reason,
      Instant notBefore) {}
}
