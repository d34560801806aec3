package io.millrace.manager.task;

import io.millrace.manager.job.JobWatcher;
import io.millrace.manager.job.JobWatcher.EndedJob;
import io.millrace.manager.job.WakeUps;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Wakes task managers when workers of theirs have ended. A hint. Thread-safe. */
public final class TaskWatcher implements JobWatcher {
  private final WakeUps wakeUps;

  public TaskWatcher(WakeUps wakeUps) {
    this.wakeUps = wakeUps;
  }

  @Override
  public void jobsEnded(Handle handle, List<EndedJob> ends, Instant now) {
    List<Long> workers =
        ends.stream()
            .map(EndedJob::job)
            .filter(job -> TaskSpecs.mayBeWorker(job.share()))
            .map(job -> job.id())
            .toList();
    if (!workers.isEmpty()) {
      TaskWorkerDao.managersOf(handle, workers)
          .forEach(manager -> wakeUps.jobChanged(handle, manager));
    }
  }
}
