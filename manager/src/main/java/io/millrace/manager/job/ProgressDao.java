package io.millrace.manager.job;

import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.Usage;
import io.millrace.manager.job.JobColumns.ColumnText;
import io.millrace.manager.job.JobTotalDao.Changes;
import io.millrace.manager.job.RetryRule.RetryDecision;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Records starts and ends of attempts, each only from the expected state and attempt. */
public final class ProgressDao {
  private final JobTotalDao totals = new JobTotalDao();

  /**
   * One start.
   *
   * @param job the job, locked and placed
   * @param at when it started
   */
  public record Started(JobFacts job, Instant at) {}

  /**
   * One end.
   *
   * @param attempt the attempt, its job locked and placed or running
   * @param next the job's next state
   * @param notBefore when a waiting job may run again; null for at once
   * @param decision what comes after it
   */
  record Ended(EndedAttempt attempt, JobState next, Instant notBefore, RetryDecision decision) {
    JobFacts job() {
      return attempt.job();
    }

    AttemptResult result() {
      return attempt.result();
    }
  }

  public void start(Handle handle, List<Started> starts) {
    if (starts.isEmpty()) {
      return;
    }
    PreparedBatch jobs =
        handle.prepareBatch(
            """
            update job
            set state = 'RUNNING', started_at = :at
            where id = :id and state = 'PLACED' and attempt_number = :attempt
            """);
    PreparedBatch attempts =
        handle.prepareBatch(
            """
            update attempt
            set state = 'RUNNING', started_at = :at
            where job_id = :id and attempt_number = :attempt and state = 'PLACED'
            """);
    PreparedBatch bookings =
        handle.prepareBatch(
            """
            update booking
            set running = true
            where job_id = :id and attempt_number = :attempt
            """);
    for (Started start : starts) {
      JobFacts job = start.job();
      jobs.bind("at", start.at()).bind("id", job.id()).bind("attempt", job.attempt()).add();
      attempts.bind("at", start.at()).bind("id", job.id()).bind("attempt", job.attempt()).add();
      bookings.bind("id", job.id()).bind("attempt", job.attempt()).add();
    }
    jobs.execute();
    attempts.execute();
    bookings.execute();
  }

  void end(Handle handle, List<Ended> ends) {
    if (ends.isEmpty()) {
      return;
    }
    endAttempts(handle, ends);
    endJobs(handle, ends);
    PreparedBatch bookings =
        handle.prepareBatch(
            """
            delete from booking
            where job_id = :id and attempt_number = :attempt
            """);
    for (Ended end : ends) {
      bookings.bind("id", end.job().id()).bind("attempt", end.job().attempt()).add();
    }
    bookings.execute();
  }

  /** Ends bookings of elements whose rows are deleted later, in the same transaction. */
  void endBookings(Handle handle, Collection<Long> elements) {
    if (!elements.isEmpty()) {
      handle
          .createUpdate("delete from booking where job_id in (<ids>) and attempt_number = 1")
          .bindList("ids", List.copyOf(elements))
          .execute();
    }
  }

  /**
   * Deletes the rows of elements of arrays that succeeded at their first try; locked, and placed or
   * running until now.
   *
   * @param kept whether the element remains known without its rows
   */
  void deleteEnded(Handle handle, List<JobFacts> elements, Predicate<JobFacts> kept) {
    List<Long> ids = elements.stream().map(JobFacts::id).toList();
    for (String statement :
        List.of(
            "delete from attempt where job_id in (<ids>)",
            "delete from job_tag where job_id in (<ids>)",
            "delete from program_progress where job_id in (<ids>)")) {
      handle.createUpdate(statement).bindList("ids", ids).execute();
    }
    int deleted =
        handle
            .createUpdate(
                """
                delete from job
                where id in (<ids>) and state in ('PLACED', 'RUNNING') and attempt_number = 1
                """)
            .bindList("ids", ids)
            .execute();
    if (deleted != ids.size()) {
      throw new IllegalStateException(
          "of %d locked elements %d could be deleted: %s".formatted(ids.size(), deleted, ids));
    }
    Changes changes = new Changes();
    elements.stream()
        .filter(kept)
        .forEach(job -> changes.add(job.kind(), JobState.SUCCEEDED, job.queue(), 1));
    totals.write(handle, changes);
  }

  private static void endAttempts(Handle handle, List<Ended> ends) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            update attempt
            set state = :state, started_at = :startedAt, ended_at = :endedAt,
                outcome = :outcome, exit_code = :exitCode, signal_number = :signal,
                reason = :reason, stderr_tail = :tail, events = :events,
                run_millis = :runMillis, cpu_millis = :cpuMillis, memory_bytes = :memoryBytes,
                read_bytes = :readBytes, written_bytes = :writtenBytes
            where job_id = :id and attempt_number = :attempt and ended_at is null
            """);
    for (Ended end : ends) {
      AttemptResult result = end.result();
      Usage usage = result.usage();
      batch
          .bind("cpuMillis", usage == null ? null : usage.cpuMillis())
          .bind("memoryBytes", usage == null ? null : usage.memoryBytes())
          .bind("readBytes", usage == null ? null : usage.readBytes())
          .bind("writtenBytes", usage == null ? null : usage.writtenBytes())
          .bind("state", attemptState(result.outcome()).name())
          .bind("startedAt", end.attempt().startedAt())
          .bind("endedAt", end.attempt().endedAt())
          .bind("outcome", result.outcome().name())
          .bind("exitCode", result.exitCode())
          .bind("signal", result.signal())
          .bind("reason", ColumnText.start(result.description()))
          .bind("tail", ColumnText.end(result.stderrTail()))
          .bind("events", result.events())
          .bind("runMillis", result.runMillis())
          .bind("id", end.job().id())
          .bind("attempt", end.job().attempt())
          .add();
    }
    batch.execute();
  }

  private void endJobs(Handle handle, List<Ended> ends) {
    Changes changes = new Changes();
    PreparedBatch batch =
        handle.prepareBatch(
            """
            update job
            set state = :next, started_at = :startedAt, ended_at = :endedAt, outcome = :outcome,
                exit_code = :exitCode, signal_number = :signal, reason = :reason,
                not_before = :notBefore, failed_tries = :failedTries, lost_tries = :lostTries,
                short_runs = :shortRuns, next_cause = :cause, single_name = :single
            where id = :id and state = :state and attempt_number = :attempt
            """);
    for (Ended end : ends) {
      AttemptResult result = end.result();
      RetryDecision decision = end.decision();
      boolean over = end.next().ended();
      batch
          .bind("next", end.next().name())
          .bind("startedAt", end.attempt().startedAt())
          .bind("endedAt", over ? end.attempt().endedAt() : null)
          .bind("outcome", result.outcome().name())
          .bind("exitCode", result.exitCode())
          .bind("signal", result.signal())
          .bind("reason", ColumnText.start(decision.reason()))
          .bind("notBefore", end.notBefore())
          .bind("failedTries", decision.failedTries())
          .bind("lostTries", decision.lostTries())
          .bind("shortRuns", decision.shortRuns())
          .bind("cause", ColumnText.start(decision.cause()))
          .bind("single", over ? null : end.job().single())
          .bind("id", end.job().id())
          .bind("state", end.job().state().name())
          .bind("attempt", end.job().attempt())
          .add();
    }
    int[] changed = batch.execute();
    for (int i = 0; i < changed.length; i++) {
      Ended end = ends.get(i);
      if (changed[i] != 0 && end.next().ended()) {
        changes.add(end.job().kind(), end.next(), end.job().queue(), 1);
      }
    }
    totals.write(handle, changes);
  }

  private static JobState attemptState(Outcome outcome) {
    if (outcome.success()) {
      return JobState.SUCCEEDED;
    }
    return outcome == Outcome.STOPPED ? JobState.CANCELLED : JobState.FAILED;
  }
}
