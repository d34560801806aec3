package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobWatcher.EndedJob;
import io.millrace.manager.job.ProgressDao.Ended;
import io.millrace.manager.job.ReadyJobDao.Ready;
import io.millrace.manager.job.RetryRule.RetryDecision;
import io.millrace.manager.job.RetryRule.Trials;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Ends attempts and carries out what comes after, in the caller's transaction. Thread-safe. */
final class AttemptEnds {
  private final ProgressDao progress = new ProgressDao();
  private final ReadyJobDao ready = new ReadyJobDao();
  private final HistoryDao history = new HistoryDao();
  private final WorkerDao workers = new WorkerDao();
  private final FinalEnds finalEnds;
  private final JobWatcher watcher;
  private final WakeUps wakeUps;

  AttemptEnds(FinalEnds finalEnds, JobWatcher watcher, WakeUps wakeUps) {
    this.finalEnds = finalEnds;
    this.watcher = watcher;
    this.wakeUps = wakeUps;
  }

  void end(Handle handle, List<EndedAttempt> reported, Instant now) {
    if (reported.isEmpty()) {
      return;
    }
    List<EndedAttempt> ends = new ArrayList<>(reported.size());
    List<Ended> rows = new ArrayList<>(reported.size());
    List<Ready> again = new ArrayList<>();
    List<EndedJob> over = new ArrayList<>();
    List<Line> lines = new ArrayList<>(reported.size());
    WorkerProgress worker = new WorkerProgress();
    for (EndedAttempt report : reported) {
      JobFacts job = report.job();
      boolean late = job.deadline() != null && !now.isBefore(job.deadline());
      EndedAttempt end = late ? stoppedAtDeadline(report) : report;
      ends.add(end);
      RetryDecision sequel = RetryRule.after(trials(end, late), end.end());
      JobState next = next(job, sequel);
      if (next.ended() || end.wasTry()) {
        worker.ended(job, end.end());
      }
      rows.add(row(end, next, sequel, now));
      if (next == JobState.WAITING) {
        again.add(new Ready(job, readyAt(job, sequel, now)));
      } else if (next.ended()) {
        over.add(new EndedJob(job, next, sequel.reason()));
      }
      lines.add(new Line(job.id(), next, job.attempt(), words(end, sequel)));
      wakeUps.jobChanged(handle, job.id());
    }
    progress.end(handle, rows);
    ready.insert(handle, again);
    history.write(handle, lines, now);
    workers.add(handle, worker.bySegment());
    watcher.attemptsEnded(handle, ends, now);
    finalEnds.follow(handle, over, now);
    wakeUps.ready(handle);
  }

  // Only its deadline asks a job to stop that nobody cancelled and whose node goes on.
  private static EndedAttempt stoppedAtDeadline(EndedAttempt ended) {
    AttemptEnd end = ended.end();
    if (end.outcome() != Outcome.STOPPED || ended.job().cancelReason() != null) {
      return ended;
    }
    return new EndedAttempt(
        ended.job(),
        new AttemptEnd(
            Outcome.TIMED_OUT, end.exitCode(), end.signal(), "stopped at its deadline", end.run()),
        ended.startedAt(),
        ended.endedAt(),
        ended.stderrTail(),
        ended.events(),
        ended.usage(),
        ended.event(),
        ended.offered());
  }

  // A job that runs has nothing before it in its lane, and its dependencies are met.
  private static JobState next(JobFacts job, RetryDecision sequel) {
    return sequel.state() == JobState.WAITING
        ? WaitingState.of(job.held(), job.unmet(), true)
        : sequel.state();
  }

  private static Trials trials(EndedAttempt end, boolean late) {
    JobFacts job = end.job();
    return new Trials(
        job.kind(),
        job.restarts(),
        job.retry(),
        job.failedTries(),
        job.lostTries(),
        job.shortRuns(),
        job.cancelReason(),
        late,
        end.wasTry());
  }

  private static Instant readyAt(JobFacts job, RetryDecision sequel, Instant now) {
    if (!sequel.keepsAge()) {
      return now.plus(sequel.pause());
    }
    // Submitted while the database's clock ran ahead, it would wait until it shows that time again.
    return job.submittedAt().isBefore(now) ? job.submittedAt() : now;
  }

  private static String words(EndedAttempt end, RetryDecision sequel) {
    return sequel.reason() == null ? end.end().words() : sequel.reason();
  }

  private static Ended row(EndedAttempt ended, JobState next, RetryDecision sequel, Instant now) {
    AttemptEnd end = ended.end();
    boolean waits = next.waits() && !sequel.pause().isZero();
    return new Ended(
        ended.job(),
        ended.startedAt(),
        ended.endedAt(),
        end.outcome(),
        end.exitCode(),
        end.signal(),
        end.words(),
        ended.stderrTail(),
        ended.events(),
        end.run().toMillis(),
        ended.usage(),
        next,
        waits ? now.plus(sequel.pause()) : null,
        sequel.reason(),
        sequel.cause(),
        sequel.failedTries(),
        sequel.lostTries(),
        sequel.shortRuns());
  }
}
