package io.millrace.manager.job;

import io.millrace.api.Json;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.JobColumns.Chunks;
import io.millrace.manager.job.JobColumns.ColumnText;
import io.millrace.manager.job.JobTotalDao.Changes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * Locks and changes rows of the table {@code job}, each change only from the state and attempt that
 * are expected. Stateless.
 */
public final class JobDao {
  private static final int CHUNK = 1000;

  private final JobTotalDao totals = new JobTotalDao();

  /**
   * What a waiting job waits for now.
   *
   * @param job the job, locked and waiting
   * @param next WAITING, BLOCKED or HELD
   * @param held whether it is on hold
   * @param unmet dependencies that are not met yet
   * @param notBefore when it may start (again); null for at once
   * @param reason human-readable reason for the wait; null if there is none
   */
  public record Wait(
      JobFacts job, JobState next, boolean held, int unmet, Instant notBefore, String reason) {}

  /**
   * The end of a waiting job.
   *
   * @param job the job, locked and waiting
   * @param state FAILED or CANCELLED
   * @param reason human-readable reason
   */
  public record WaitEnd(JobFacts job, JobState state, String reason) {}

  /**
   * An ended job that waits again as if new.
   *
   * @param job the job, locked and ended
   * @param next WAITING, BLOCKED or HELD
   * @param unmet dependencies that are not met yet
   * @param single its single-instance name; null for none
   * @param cause human-readable cause of its next attempt
   * @param reason human-readable reason for the wait; null if there is none
   */
  public record Revival(
      JobFacts job, JobState next, int unmet, String single, String cause, String reason) {}

  /**
   * A job's new priority.
   *
   * @param job the job, locked
   * @param priority the new priority
   * @param shape the shape with that priority
   */
  public record Priority(JobFacts job, int priority, long shape) {}

  /** Locks jobs by rising id, which is the lock order everywhere; unknown ids are left out. */
  public List<JobFacts> lock(Handle handle, Collection<Long> ids) {
    return facts(
        handle,
        """
        select id, kind, state, priority, pool, slots, cpu_millis, memory_bytes, shape_id, share,
            definition, queue, segment_node, near_node, single_name, restarts, retry_max,
            retry_first_millis, retry_longest_millis, retry_on, retry_exit_codes,
            retry_final_exit_codes, held, unmet, lane, deadline, not_before, is_array, array_id,
            array_index, notifies, attempt_number, node_id, node_name, failed_tries, lost_tries,
            short_runs, cancel_reason, next_cause, submitted_at, placed_at, started_at
        from job
        where id in (<ids>)
        order by id
        for update
        """,
        ids);
  }

  /** Reads jobs without a lock: what it returns may have changed already. */
  public List<JobFacts> read(Handle handle, Collection<Long> ids) {
    return facts(
        handle,
        """
        select id, kind, state, priority, pool, slots, cpu_millis, memory_bytes, shape_id, share,
            definition, queue, segment_node, near_node, single_name, restarts, retry_max,
            retry_first_millis, retry_longest_millis, retry_on, retry_exit_codes,
            retry_final_exit_codes, held, unmet, lane, deadline, not_before, is_array, array_id,
            array_index, notifies, attempt_number, node_id, node_name, failed_tries, lost_tries,
            short_runs, cancel_reason, next_cause, submitted_at, placed_at, started_at
        from job
        where id in (<ids>)
        order by id
        """,
        ids);
  }

  private static List<JobFacts> facts(Handle handle, String query, Collection<Long> ids) {
    List<JobFacts> found = new ArrayList<>(ids.size());
    for (List<Long> chunk : Chunks.of(new TreeSet<>(ids), CHUNK)) {
      found.addAll(
          handle
              .createQuery(query)
              .bindList("ids", chunk)
              .map((row, context) -> JobColumns.facts(row))
              .list());
    }
    return found;
  }

  /** Locks one job. */
  public Optional<JobFacts> lock(Handle handle, long id) {
    return lock(handle, List.of(id)).stream().findFirst();
  }

  /** The live job with that single-instance name. */
  public Optional<Long> liveSingle(Handle handle, String single) {
    return handle
        .createQuery("select id from job where single_name = :single")
        .bind("single", single)
        .mapTo(Long.class)
        .findOne();
  }

  /** The specifications as submitted, by job; unknown ids are left out. */
  public Map<Long, JobSpec> specs(Handle handle, Collection<Long> ids) {
    Map<Long, JobSpec> specs = new HashMap<>();
    for (List<Long> chunk : Chunks.of(new TreeSet<>(ids), CHUNK)) {
      handle
          .createQuery("select id, spec from job where id in (<ids>)")
          .bindList("ids", chunk)
          .map((row, context) -> Map.entry(row.getLong("id"), row.getString("spec")))
          .forEach(entry -> specs.put(entry.getKey(), Json.read(entry.getValue(), JobSpec.class)));
    }
    return specs;
  }

  /** Records that placed or running jobs are to be cancelled. */
  public void requestCancel(Handle handle, List<JobFacts> jobs, String reason) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            update job
            set cancel_reason = :reason
            where id = :id and state = :state and attempt_number = :attempt
            """);
    for (JobFacts job : jobs) {
      expect(batch, job).bind("reason", ColumnText.start(reason)).add();
    }
    batch.execute();
  }

  /** Changes what waiting jobs wait for. */
  public void changeWaits(Handle handle, List<Wait> waits) {
    if (waits.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            update job
            set state = :next, held = :held,
                hold_reason = case when :held then :reason else null end, unmet = :unmet,
                not_before = :notBefore, reason = :reason
            where id = :id and state = :state and attempt_number = :attempt
            """);
    for (Wait wait : waits) {
      expect(batch, wait.job())
          .bind("next", wait.next().name())
          .bind("held", wait.held())
          .bind("unmet", wait.unmet())
          .bind("notBefore", wait.notBefore())
          .bind("reason", ColumnText.start(wait.reason()))
          .add();
    }
    batch.execute();
  }

  /** Ends waiting jobs. */
  public void endWaits(Handle handle, List<WaitEnd> ends, Instant now) {
    if (ends.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            update job
            set state = :next, reason = :reason, cancel_reason = :cancelReason, ended_at = :now,
                not_before = null, single_name = null, held = false, hold_reason = null,
                unmet = 0
            where id = :id and state = :state and attempt_number = :attempt
            """);
    for (WaitEnd end : ends) {
      String reason = ColumnText.start(end.reason());
      expect(batch, end.job())
          .bind("next", end.state().name())
          .bind("reason", reason)
          .bind("cancelReason", end.state() == JobState.CANCELLED ? reason : null)
          .bind("now", now)
          .add();
    }
    count(handle, batch.execute(), ends, WaitEnd::job, WaitEnd::state, 1);
  }

  /** Makes ended jobs wait again. */
  public void resetForRetry(Handle handle, List<Revival> revivals) {
    if (revivals.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            update job
            set state = :next, failed_tries = 0, lost_tries = 0, short_runs = 0,
                reason = :reason, cancel_reason = null, ended_at = null, not_before = null,
                unmet = :unmet, next_cause = :cause, single_name = :single
            where id = :id and state = :state and attempt_number = :attempt
            """);
    for (Revival revival : revivals) {
      expect(batch, revival.job())
          .bind("next", revival.next().name())
          .bind("reason", ColumnText.start(revival.reason()))
          .bind("unmet", revival.unmet())
          .bind("cause", ColumnText.start(revival.cause()))
          .bind("single", revival.single())
          .add();
    }
    count(handle, batch.execute(), revivals, Revival::job, one -> one.job().state(), -1);
  }

  private <T> void count(
      Handle handle,
      int[] changed,
      List<T> rows,
      Function<T, JobFacts> job,
      Function<T, JobState> ended,
      int difference) {
    Changes changes = new Changes();
    for (int i = 0; i < changed.length; i++) {
      JobFacts facts = job.apply(rows.get(i));
      if (changed[i] != 0 && !facts.isArray()) {
        changes.add(facts.kind(), ended.apply(rows.get(i)), facts.queue(), difference);
      }
    }
    totals.write(handle, changes);
  }

  /** Changes priorities, and moves the jobs that are ready to the queue of their new shape. */
  public void setPriorities(Handle handle, List<Priority> changes) {
    PreparedBatch jobs =
        handle.prepareBatch(
            """
            update job
            set priority = :priority, shape_id = :shape
            where id = :id and state = :state
            """);
    PreparedBatch ready =
        handle.prepareBatch(
            """
            update job_ready
            set dispatch_rank = :dispatchRank, shape_id = :shape
            where job_id = :id
            """);
    for (Priority change : changes) {
      long id = change.job().id();
      jobs.bind("id", id)
          .bind("priority", change.priority())
          .bind("shape", change.shape())
          .bind("state", change.job().state().name())
          .add();
      ready
          .bind("id", id)
          .bind("dispatchRank", -change.priority())
          .bind("shape", change.shape())
          .add();
    }
    jobs.execute();
    ready.execute();
  }

  private static PreparedBatch expect(PreparedBatch batch, JobFacts job) {
    return batch
        .bind("id", job.id())
        .bind("state", job.state().name())
        .bind("attempt", job.attempt());
  }
}
