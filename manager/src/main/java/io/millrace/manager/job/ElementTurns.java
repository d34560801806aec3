package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.ReadyJobDao.Ready;
import io.millrace.manager.job.WaitDao.Wait;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Lets elements that wait for their turn in their array wait for a slot, and back. Thread-safe. */
final class ElementTurns {
  private final JobDao jobs = new JobDao();
  private final WaitDao waits = new WaitDao();
  private final ReadyJobDao ready = new ReadyJobDao();
  private final HistoryDao history = new HistoryDao();

  /** Lets blocked elements go on; returns those that did. */
  List<JobFacts> letGo(Handle handle, Collection<Long> ids, Instant now) {
    List<JobFacts> blocked = in(handle, ids, JobState.BLOCKED);
    change(handle, blocked, JobState.WAITING, "its turn in its array", null, now);
    ready.insert(
        handle,
        blocked.stream().map(element -> new Ready(element, readyAt(element, now))).toList());
    return blocked;
  }

  /** Takes back elements that wait for a slot; returns how many. */
  int takeBack(Handle handle, Collection<Long> ids, String words, Instant now) {
    List<JobFacts> waiting = in(handle, ids, JobState.WAITING);
    change(handle, waiting, JobState.BLOCKED, words, words, now);
    ready.delete(handle, waiting.stream().map(JobFacts::id).toList());
    return waiting.size();
  }

  private List<JobFacts> in(Handle handle, Collection<Long> ids, JobState state) {
    return jobs.lock(handle, ids).stream().filter(job -> job.state() == state).toList();
  }

  private void change(
      Handle handle,
      List<JobFacts> elements,
      JobState next,
      String words,
      String reason,
      Instant now) {
    waits.change(
        handle,
        elements.stream()
            .map(
                element ->
                    new Wait(element, next, false, 0, Pauses.notBefore(element, now), reason))
            .toList());
    history.write(
        handle,
        elements.stream()
            .map(element -> new Line(element.id(), next, element.attempt(), words))
            .toList(),
        now);
  }

  private static Instant readyAt(JobFacts element, Instant now) {
    Instant from = Pauses.notBefore(element, now);
    return from == null || from.isBefore(now) ? now : from;
  }
}
