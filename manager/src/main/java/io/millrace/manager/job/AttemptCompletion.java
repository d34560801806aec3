package io.millrace.manager.job;

import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.manager.job.ElementCompaction.CompactedEnds;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobWatcher.EndedJob;
import io.millrace.manager.job.ProgressDao.Ended;
import io.millrace.manager.job.ReadyJobDao.Ready;
import io.millrace.manager.job.ResourceAdjustments.ChangePlan;
import io.millrace.manager.job.RetryRule.RetryDecision;
import io.millrace.manager.job.RetryRule.Trials;
import io.millrace.manager.job.WorkerDao.WorkerProgress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** Ends attempts and carries out the consequences, in the caller's transaction. Thread-safe. */
final class AttemptCompletion {
  private final ProgressDao progress = new ProgressDao();
  private final ReadyJobDao ready = new ReadyJobDao();
  private final HistoryDao history = new HistoryDao();
  private final WorkerDao workers = new WorkerDao();
  private final ElementCompaction compaction = new ElementCompaction();
  private final ResourceAdjustments adjustments;
  private final JobCompletion completion;
  private final JobWatcher watcher;
  private final WakeUps wakeUps;

  AttemptCompletion(
      ResourceAdjustments adjustments,
      JobCompletion completion,
      JobWatcher watcher,
      WakeUps wakeUps) {
    this.adjustments = adjustments;
    this.completion = completion;
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
    List<EndedJob> endedJobs = new ArrayList<>();
    Map<Long, Line> lines = new LinkedHashMap<>();
    WorkerProgress worker = new WorkerProgress();
    ChangePlan changes = adjustments.of(handle, reported);
    for (EndedAttempt report : reported) {
      JobFacts job = report.job();
      boolean late = job.deadline() != null && !now.isBefore(job.deadline());
      EndedAttempt end = late ? stoppedAtDeadline(report) : report;
      ends.add(end);
      RetryDecision decision =
          changes.decide(end, RetryRule.after(trials(end, late), end.result()));
      JobState next = next(job, decision);
      if (next.ended() || end.wasTry()) {
        worker.ended(job, end.result());
      }
      boolean waits = next.waits() && !decision.pause().isZero();
      rows.add(new Ended(end, next, waits ? now.plus(decision.pause()) : null, decision));
      if (next == JobState.WAITING) {
        again.add(new Ready(job, readyAt(job, decision, now)));
      } else if (next.ended()) {
        endedJobs.add(new EndedJob(job, next, decision.reason()));
      }
      String text = decision.reason() == null ? end.result().description() : decision.reason();
      lines.put(job.id(), new Line(job.id(), next, job.attempt(), text));
      wakeUps.jobChanged(handle, job.id());
    }
    CompactedEnds compacted = compaction.choose(handle, rows);
    Set<Long> elements = compacted.ids();
    rows.removeIf(row -> elements.contains(row.job().id()));
    lines.keySet().removeAll(elements);
    progress.end(handle, rows);
    progress.endBookings(handle, elements);
    changes.write(handle, now);
    ready.insert(handle, again);
    history.write(handle, List.copyOf(lines.values()), now);
    workers.add(handle, worker.bySegment());
    watcher.attemptsEnded(handle, ends, now);
    completion.follow(handle, endedJobs, now);
    compaction.record(handle, compacted);
    wakeUps.ready(handle);
  }

  // A job that was not cancelled, and whose node is not drained, is only stopped at its deadline.
  private static EndedAttempt stoppedAtDeadline(EndedAttempt ended) {
    AttemptResult result = ended.result();
    if (result.outcome() != Outcome.STOPPED || ended.job().cancelReason() != null) {
      return ended;
    }
    return ended.withResult(
        result.with(copy -> copy.outcome(Outcome.TIMED_OUT).reason("stopped at its deadline")));
  }

  // A running job is the first of its lane, and its dependencies are met.
  private static JobState next(JobFacts job, RetryDecision decision) {
    return decision.state() == JobState.WAITING
        ? WaitingJobs.state(job.held(), job.unmet(), true)
        : decision.state();
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

  private static Instant readyAt(JobFacts job, RetryDecision decision, Instant now) {
    if (!decision.keepsAge()) {
      return now.plus(decision.pause());
    }
    // If it was submitted while the database's clock was ahead, it would wait for that time again.
    return job.submittedAt().isBefore(now) ? job.submittedAt() : now;
  }
}
