package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.Usage;
import io.millrace.manager.job.Columns.SpacedList;
import io.millrace.manager.job.JobTotalDao.Changes;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Records starts and ends of attempts, each with the state and attempt that it expects. */
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
   * @param job the job, locked and placed or running
   * @param startedAt when it started; null if it never did
   * @param endedAt when it ended
   * @param outcome how
   * @param exitCode null if none
   * @param signal null if none
   * @param words how it ended, for people
   * @param stderrTail last words; null for none
   * @param events events taken
   * @param runMillis time from start to end
   * @param usage what its processes used; null if unknown
   * @param next the job's next state
   * @param notBefore when a waiting job may run again; null for at once
   * @param reason why the job is in its next state; null if plain
   * @param cause why its next attempt is started, for people; null when there is none
   * @param failedTries after this end
   * @param lostTries after this end
   * @param shortRuns after this end
   */
  public record Ended(
      JobFacts job,
      Instant startedAt,
      Instant endedAt,
      Outcome outcome,
      Integer exitCode,
      Integer signal,
      String words,
      String stderrTail,
      int events,
      long runMillis,
      Usage usage,
      JobState next,
      Instant notBefore,
      String reason,
      String cause,
      int failedTries,
      int lostTries,
      int shortRuns) {}

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

  public void end(Handle handle, List<Ended> ends) {
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
      Usage usage = end.usage();
      batch
          .bind("cpuMillis", usage == null ? null : usage.cpuMillis())
          .bind("memoryBytes", usage == null ? null : usage.memoryBytes())
          .bind("readBytes", usage == null ? null : usage.readBytes())
          .bind("writtenBytes", usage == null ? null : usage.writtenBytes())
          .bind("state", attemptState(end.outcome()).name())
          .bind("startedAt", end.startedAt())
          .bind("endedAt", end.endedAt())
          .bind("outcome", end.outcome().name())
          .bind("exitCode", end.exitCode())
          .bind("signal", end.signal())
          .bind("reason", SpacedList.line(end.words()))
          .bind("tail", SpacedList.tail(end.stderrTail()))
          .bind("events", end.events())
          .bind("runMillis", end.runMillis())
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
      boolean over = end.next().ended();
      batch
          .bind("next", end.next().name())
          .bind("startedAt", end.startedAt())
          .bind("endedAt", over ? end.endedAt() : null)
          .bind("outcome", end.outcome().name())
          .bind("exitCode", end.exitCode())
          .bind("signal", end.signal())
          .bind("reason", SpacedList.line(end.reason()))
          .bind("notBefore", end.notBefore())
          .bind("failedTries", end.failedTries())
          .bind("lostTries", end.lostTries())
          .bind("shortRuns", end.shortRuns())
          .bind("cause", SpacedList.line(end.cause()))
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
