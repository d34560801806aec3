package io.millrace.manager.job;

import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobWatcher.EndedJob;
import io.millrace.manager.job.WaitDao.WaitEnd;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Ends jobs that wait, without an attempt; what follows from their ends is the caller's to carry
 * out by {@link JobCompletion}. Thread-safe.
 */
final class WaitEnds {
  private final WaitDao waits = new WaitDao();
  private final ReadyJobDao ready = new ReadyJobDao();
  private final HistoryDao history = new HistoryDao();
  private final WakeUps wakeUps;

  WaitEnds(WakeUps wakeUps) {
    this.wakeUps = wakeUps;
  }

  void end(Handle handle, List<EndedJob> ends, Instant now) {
    if (ends.isEmpty()) {
      return;
    }
    waits.end(
        handle,
        ends.stream().map(end -> new WaitEnd(end.job(), end.state(), end.reason())).toList(),
        now);
    ready.delete(handle, ends.stream().map(EndedJob::job).map(JobFacts::id).toList());
    history.write(handle, ends.stream().map(WaitEnds::line).toList(), now);
    ends.forEach(end -> wakeUps.jobChanged(handle, end.job().id()));
  }

  private static Line line(EndedJob end) {
    return new Line(end.job().id(), end.state(), end.job().attempt(), end.reason());
  }
}
