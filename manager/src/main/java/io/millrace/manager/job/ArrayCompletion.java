package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobDao.WaitEnd;
import io.millrace.manager.job.JobWatcher.EndedJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** Ends arrays whose elements have all ended, with all consequences. Thread-safe. */
final class ArrayCompletion {
  private final JobDao jobs = new JobDao();
  private final ArrayDao arrays = new ArrayDao();
  private final HistoryDao history = new HistoryDao();
  private final JobCompletion completion;
  private final WakeUps wakeUps;

  ArrayCompletion(JobCompletion completion, WakeUps wakeUps) {
    this.completion = completion;
    this.wakeUps = wakeUps;
  }

  /** Ends those of the arrays that are exhausted; returns how many. */
  int endExhausted(Handle handle, Collection<Long> ids, Instant now) {
    List<JobFacts> locked = jobs.lock(handle, ids);
    Map<Long, ArrayRow> rows = arrays.lock(handle, locked.stream().map(JobFacts::id).toList());
    List<EndedJob> ended = new ArrayList<>();
    for (JobFacts array : locked) {
      ArrayRow row = rows.get(array.id());
      if (row.endsFrom(array.state())) {
        arrays.finish(handle, array.id());
        if (!array.state().ended()) {
          ended.add(new EndedJob(array, row.end(), reason(array, row)));
        }
      }
    }
    jobs.endWaits(
        handle,
        ended.stream().map(end -> new WaitEnd(end.job(), end.state(), end.reason())).toList(),
        now);
    history.write(handle, ended.stream().map(ArrayCompletion::line).toList(), now);
    ended.forEach(end -> wakeUps.jobChanged(handle, end.job().id()));
    completion.follow(handle, ended, now);
    return ended.size();
  }

  private static String reason(JobFacts array, ArrayRow row) {
    if (array.cancelReason() != null) {
      return array.cancelReason();
    }
    return row.end() == JobState.SUCCEEDED
        ? null
        : "%d failed and %d cancelled of %d"
            .formatted(row.failed(), row.cancelled(), row.range().size());
  }

  private static Line line(EndedJob end) {
    String event = end.reason() == null ? "all elements succeeded" : end.reason();
    return new Line(end.job().id(), end.state(), 0, event);
  }
}
