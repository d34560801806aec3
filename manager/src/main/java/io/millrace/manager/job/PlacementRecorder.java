package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.PlacementDao.NewAttempt;
import io.millrace.manager.job.RestorationDao.AttemptFloor;
import io.millrace.manager.placement.PlacementPlan.Placement;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** Records attempts for waiting jobs in the caller's transaction. Thread-safe. */
public final class PlacementRecorder {
  private final JobDao jobs = new JobDao();
  private final PlacementDao placements = new PlacementDao();
  private final ReadyJobDao ready = new ReadyJobDao();
  private final HistoryDao history = new HistoryDao();
  private final RestorationDao restorations = new RestorationDao();
  private final Lanes lanes;
  private final WakeUps wakeUps;

  public PlacementRecorder(WakeUps wakeUps) {
    this.lanes = new Lanes(new WaitingJobs(wakeUps));
    this.wakeUps = wakeUps;
  }

  /**
   * Places those jobs that still wait and are the first of their lane, if any; others stay
   * unchanged.
   *
   * @return how many were placed
   */
  public int place(Handle handle, List<Placement> wanted, Instant now) {
    Map<Long, Placement> byJob = new HashMap<>();
    wanted.forEach(placement -> byJob.put(placement.job().id(), placement));
    List<JobFacts> waiting =
        jobs.lock(handle, byJob.keySet()).stream()
            .filter(job -> job.state() == JobState.WAITING)
            .toList();
    Set<Long> later = lanes.notFirst(handle, waiting, now);
    List<AttemptFloor> floors = restorations.floors(handle);
    List<NewAttempt> attempts =
        waiting.stream()
            .filter(job -> !later.contains(job.id()))
            .map(
                job ->
                    new NewAttempt(
                        job,
                        byJob.get(job.id()),
                        AttemptFloor.next(floors, job.id(), job.attempt())))
            .toList();
    placements.record(handle, attempts, now);
    ready.delete(handle, attempts.stream().map(attempt -> attempt.job().id()).toList());
    // The line of an element of an array is derived from its attempt, see ElementHistory.
    history.write(
        handle,
        attempts.stream()
            .filter(attempt -> attempt.job().array() == null)
            .map(PlacementRecorder::line)
            .toList(),
        now);
    attempts.stream()
        .map(NewAttempt::node)
        .distinct()
        .forEach(node -> wakeUps.nodeChanged(handle, node));
    return attempts.size();
  }

  private static Line line(NewAttempt attempt) {
    return new Line(
        attempt.job().id(),
        JobState.PLACED,
        attempt.number(),
        JobMessages.placedOn(attempt.nodeName()));
  }
}
