package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobWatcher.EndedJob;
import io.millrace.manager.job.WaitDao.WaitEnd;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** Ends arrays whose elements have all ended, with all that follows from it. Thread-safe. */
public final class ArrayCompletion {
  private final JobDao jobs = new JobDao();
  private final ArrayDao arrays = new ArrayDao();
  private final WaitDao waits = new WaitDao();
  private final HistoryDao history = new HistoryDao();
  private final JobCompletion finalEnds;
  private final WakeUps wakeUps;

  public ArrayCompletion(JobCompletion finalEnds, WakeUps wakeUps) {
    this.finalEnds = finalEnds;
    this.wakeUps = wakeUps;
  }

  /** Ends those of the arrays of which nothing is still to come; returns how many. */
  int endExhausted(Handle handle, Collection<Long> ids, Instant now) {
    List<JobFacts> locked = jobs.lock(handle, ids);
    Map<Long, ArrayRow> rows = arrays.lock(handle, locked.stream().map(JobFacts::id).toList());
    List<EndedJob> ended = new ArrayList<>();
    for (JobFacts array : locked) {
      ArrayRow row = rows.get(array.id());
      if (row.endsFrom(array.state())) {
        arrays.settle(handle, array.id());
        if (!array.state().ended()) {
          ended.add(new EndedJob(array, row.end(), words(array, row)));
        }
      }
    }
    waits.end(
        handle,
        ended.stream().map(end -> new WaitEnd(end.job(), end.state(), end.reason())).toList(),
        now);
    history.write(handle, ended.stream().map(ArrayCompletion::line).toList(), now);
    ended.forEach(end -> wakeUps.jobChanged(handle, end.job().id()));
    finalEnds.follow(handle, ended, now);
    return ended.size();
  }

  private static String words(JobFacts array, ArrayRow row) {
    if (array.cancelReason() != null) {
      return array.cancelReason();
    }
    return row.end() == JobState.SUCCEEDED
        ? null
        : row.failed() + " failed and " + row.cancelled() + " cancelled of " + row.range().size();
  }

  private static Line line(EndedJob end) {
    String words = end.reason() == null ? "all elements succeeded" : end.reason();
    return new Line(end.job().id(), end.state(), 0, words);
  }
}
