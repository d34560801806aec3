package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.store.HistoryStore;
import io.millrace.manager.job.store.HistoryStore.Line;
import io.millrace.manager.job.store.JobFacts;
import io.millrace.manager.job.store.JobStore;
import io.millrace.manager.job.store.PlacementStore;
import io.millrace.manager.job.store.PlacementStore.NewAttempt;
import io.millrace.manager.job.store.ReadyStore;
import io.millrace.manager.placement.Placement;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Records attempts for waiting jobs in the caller's transaction. Thread-safe. */
public final class Placing {
  private final JobStore jobs = new JobStore();
  private final PlacementStore placements = new PlacementStore();
  private final ReadyStore ready = new ReadyStore();
  private final HistoryStore history = new HistoryStore();
  private final WakeUps wakeUps;

  public Placing(WakeUps wakeUps) {
    this.wakeUps = wakeUps;
  }

  /**
   * Places those jobs that still wait; others were cancelled meanwhile and are left alone.
   *
   * @return how many were placed
   */
  public int place(Handle handle, List<Placement> wanted, Instant now) {
    Map<Long, Placement> byJob =
        wanted.stream().collect(Collectors.toMap(Placement::job, Function.identity()));
    List<NewAttempt> attempts =
        jobs.lock(handle, byJob.keySet()).stream()
            .filter(job -> job.state() == JobState.WAITING)
            .map(job -> attempt(job, byJob.get(job.id())))
            .toList();
    placements.record(handle, attempts, now);
    ready.delete(handle, attempts.stream().map(attempt -> attempt.job().id()).toList());
    history.write(handle, attempts.stream().map(Placing::line).toList(), now);
    attempts.stream()
        .map(NewAttempt::node)
        .distinct()
        .forEach(node -> wakeUps.nodeChanged(handle, node));
    return attempts.size();
  }

  private static NewAttempt attempt(JobFacts job, Placement placement) {
    return new NewAttempt(job, placement.node(), placement.nodeName());
  }

  private static Line line(NewAttempt attempt) {
    return new Line(
        attempt.job().id(), JobState.PLACED, attempt.number(), "placed on " + attempt.nodeName());
  }
}
