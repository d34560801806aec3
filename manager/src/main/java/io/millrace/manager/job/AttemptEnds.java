package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.store.HistoryStore;
import io.millrace.manager.job.store.HistoryStore.Line;
import io.millrace.manager.job.store.JobFacts;
import io.millrace.manager.job.store.ProgressStore;
import io.millrace.manager.job.store.ProgressStore.Ended;
import io.millrace.manager.job.store.ReadyStore;
import io.millrace.manager.job.store.ReadyStore.Ready;
import io.millrace.manager.job.store.WorkerStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Ends attempts and carries out what comes after, in the caller's transaction. Thread-safe. */
final class AttemptEnds {
  private final ProgressStore progress = new ProgressStore();
  private final ReadyStore ready = new ReadyStore();
  private final HistoryStore history = new HistoryStore();
  private final WorkerStore workers = new WorkerStore();
  private final WakeUps wakeUps;

  AttemptEnds(WakeUps wakeUps) {
    this.wakeUps = wakeUps;
  }

  void end(Handle handle, List<EndedAttempt> ends, Instant now) {
    if (ends.isEmpty()) {
      return;
    }
    List<Ended> rows = new ArrayList<>(ends.size());
    List<Ready> again = new ArrayList<>();
    List<Line> lines = new ArrayList<>(ends.size());
    WorkerProgress worker = new WorkerProgress();
    for (EndedAttempt end : ends) {
      worker.ended(end.job(), end.end());
      JobFacts job = end.job();
      Sequel sequel = SequelRule.after(trials(job), end.end());
      rows.add(row(end, sequel, now));
      if (sequel.state() == JobState.WAITING) {
        again.add(new Ready(job, readyAt(job, sequel, now)));
      }
      lines.add(new Line(job.id(), sequel.state(), job.attempt(), words(end, sequel)));
      wakeUps.jobChanged(handle, job.id());
    }
    progress.end(handle, rows);
    ready.insert(handle, again);
    history.write(handle, lines, now);
    workers.add(handle, worker.bySegment());
    wakeUps.ready(handle);
  }

  private static Trials trials(JobFacts job) {
    return new Trials(
        job.kind(),
        job.restarts(),
        job.retry(),
        job.failedTries(),
        job.lostTries(),
        job.shortRuns(),
        job.cancelReason());
  }

  private static Instant readyAt(JobFacts job, Sequel sequel, Instant now) {
    return sequel.keepsAge() ? job.submittedAt() : now.plus(sequel.pause());
  }

  private static String words(EndedAttempt end, Sequel sequel) {
    return sequel.reason() == null ? end.end().words() : sequel.reason();
  }

  private static Ended row(EndedAttempt ended, Sequel sequel, Instant now) {
    AttemptEnd end = ended.end();
    boolean waits = sequel.state() == JobState.WAITING && !sequel.pause().isZero();
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
        sequel.state(),
        waits ? now.plus(sequel.pause()) : null,
        sequel.reason(),
        sequel.failedTries(),
        sequel.lostTries(),
        sequel.shortRuns());
  }
}
