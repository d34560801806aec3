package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.ReadyJobDao.Ready;
import io.millrace.manager.job.WaitDao.Wait;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Moves waiting jobs between their waiting states when something that they wait for has changed.
 * Thread-safe.
 *
 * <p>Whoever changes something that a job waits for calls this afterwards, in the same transaction
 * and under the job's lock: of two who do so at once the second sees what the first has committed,
 * so that no job is left behind.
 */
final class WaitingJobs {
  private final WaitDao waits = new WaitDao();
  private final LaneDao lanes = new LaneDao();
  private final ReadyJobDao ready = new ReadyJobDao();
  private final HistoryDao history = new HistoryDao();
  private final WakeUps wakeUps;

  WaitingJobs(WakeUps wakeUps) {
    this.wakeUps = wakeUps;
  }

  /**
   * What a waiting job waits for now.
   *
   * @param job the job, locked and waiting
   * @param held whether somebody wants it to wait
   * @param unmet dependencies that are not met yet
   * @param words what has changed, for people
   */
  record Change(JobFacts job, boolean held, int unmet, String words) {
    /** Nothing but its place in its lane has changed. */
    static Change of(JobFacts job, String words) {
      return new Change(job, job.held(), job.unmet(), words);
    }
  }

  /** Decides the jobs' states anew, and records what is different. */
  void apply(Handle handle, List<Change> changes, Instant now) {
    if (changes.isEmpty()) {
      return;
    }
    Set<Long> later = lanes.notFirst(handle, inLanes(changes));
    List<Wait> rows = new ArrayList<>(changes.size());
    List<Line> lines = new ArrayList<>(changes.size());
    List<Ready> released = new ArrayList<>();
    List<Long> stopped = new ArrayList<>();
    for (Change change : changes) {
      JobFacts job = change.job();
      // An element that was stopped from going on waits for its turn in its array again.
      boolean itsTurn =
          !later.contains(job.id()) && (job.array() == null || job.state() == JobState.WAITING);
      JobState next = WaitingState.of(change.held(), change.unmet(), itsTurn);
      Instant notBefore = next == job.state() ? job.notBefore() : Pauses.notBefore(job, now);
      rows.add(new Wait(job, next, change.held(), change.unmet(), notBefore, reason(change, next)));
      if (next != job.state()) {
        lines.add(new Line(job.id(), next, job.attempt(), change.words()));
        wakeUps.jobChanged(handle, job.id());
        if (next == JobState.WAITING && !job.isArray()) {
          released.add(new Ready(job, readyAt(notBefore, now)));
        } else if (job.state() == JobState.WAITING) {
          stopped.add(job.id());
        }
      }
    }
    waits.change(handle, rows);
    ready.delete(handle, stopped);
    ready.insert(handle, released);
    history.write(handle, lines, now);
    if (rows.stream().anyMatch(row -> row.next() == JobState.WAITING)) {
      wakeUps.ready(handle);
    }
  }

  private static List<Long> inLanes(List<Change> changes) {
    return changes.stream()
        .map(Change::job)
        .filter(job -> job.lane() != null)
        .map(JobFacts::id)
        .toList();
  }

  private static String reason(Change change, JobState next) {
    return switch (next) {
      case HELD -> change.words();
      case BLOCKED -> blocked(change.unmet(), change.job().lane());
      default -> null;
    };
  }

  /** What a blocked job waits for, in words. */
  static String blocked(int unmet, String lane) {
    if (unmet > 0) {
      return "waits for the end of " + unmet + (unmet == 1 ? " job" : " jobs");
    }
    return "waits for its turn in " + (lane == null ? "its array" : "lane " + lane);
  }

  private static Instant readyAt(Instant notBefore, Instant now) {
    return notBefore != null && notBefore.isAfter(now) ? notBefore : now;
  }
}
