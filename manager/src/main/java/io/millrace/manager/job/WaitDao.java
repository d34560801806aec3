package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.JobColumns.SpacedList;
import io.millrace.manager.job.JobTotalDao.Changes;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Changes jobs that wait, each with the state and attempt that it expects. Stateless. */
public final class WaitDao {
  private final JobTotalDao totals = new JobTotalDao();

  /**
   * What a waiting job waits for now.
   *
   * @param job the job, locked and waiting
   * @param next WAITING, BLOCKED or HELD
   * @param held whether somebody wants it to wait
   * @param unmet dependencies that are not met yet
   * @param notBefore when it may start (again); null for at once
   * @param reason why it waits, for people; null if plain
   */
  public record Wait(
      JobFacts job, JobState next, boolean held, int unmet, Instant notBefore, String reason) {}

  /**
   * The end of a job that waits.
   *
   * @param job the job, locked and waiting
   * @param state FAILED or CANCELLED
   * @param reason why, for people
   */
  public record WaitEnd(JobFacts job, JobState state, String reason) {}

  /**
   * A job that waits again as if new.
   *
   * @param job the job, locked and ended
   * @param next WAITING, BLOCKED or HELD
   * @param unmet dependencies that are not met yet
   * @param single its single-instance name; null for none
   * @param cause why its next attempt is started, for people
   * @param reason why it waits, for people; null if plain
   */
  public record Revival(
      JobFacts job, JobState next, int unmet, String single, String cause, String reason) {}

  public void change(Handle handle, List<Wait> waits) {
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
          .bind("reason", SpacedList.line(wait.reason()))
          .add();
    }
    batch.execute();
  }

  public void end(Handle handle, List<WaitEnd> ends, Instant now) {
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
      String reason = SpacedList.line(end.reason());
      expect(batch, end.job())
          .bind("next", end.state().name())
          .bind("reason", reason)
          .bind("cancelReason", end.state() == JobState.CANCELLED ? reason : null)
          .bind("now", now)
          .add();
    }
    count(handle, batch.execute(), ends, WaitEnd::job, WaitEnd::state, 1);
  }

  public void revive(Handle handle, List<Revival> revivals) {
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
          .bind("reason", SpacedList.line(revival.reason()))
          .bind("unmet", revival.unmet())
          .bind("cause", SpacedList.line(revival.cause()))
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

  private static PreparedBatch expect(PreparedBatch batch, JobFacts job) {
    return batch
        .bind("id", job.id())
        .bind("state", job.state().name())
        .bind("attempt", job.attempt());
  }
}
