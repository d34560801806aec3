package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobDao.Wait;
import io.millrace.manager.job.ReadyJobDao.Ready;
import io.millrace.manager.job.RetryRule.RetryBackoff;
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
 * and under the job's lock: of two concurrent changes the second sees what the first has committed,
 * so that no job is left behind.
 */
final class WaitingJobs {
  private final JobDao jobs = new JobDao();
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
   * @param held whether it is on hold
   * @param unmet dependencies that are not met yet
   * @param event human-readable description of what has changed
   */
  record WaitingChange(JobFacts job, boolean held, int unmet, String event) {
    /** Only its position in its lane has changed. */
    static WaitingChange of(JobFacts job, String event) {
      return new WaitingChange(job, job.held(), job.unmet(), event);
    }
  }

  /**
   * Decides in which of the waiting states a job is that has neither ended nor been placed; nothing
   * else decides it.
   *
   * @param held whether it is on hold
   * @param unmet dependencies that are not met yet
   * @param itsTurn whether nothing is before it in its serial lane and, for an element, whether its
   *     array lets it start; true without either
   */
  static JobState state(boolean held, int unmet, boolean itsTurn) {
    if (held) {
      return JobState.HELD;
    }
    return unmet > 0 || !itsTurn ? JobState.BLOCKED : JobState.WAITING;
  }

  /** Decides the states of the jobs again, and records the differences. */
  void apply(Handle handle, List<WaitingChange> changes, Instant now) {
    if (changes.isEmpty()) {
      return;
    }
    Set<Long> later = lanes.notFirst(handle, inLanes(changes));
    List<Wait> rows = new ArrayList<>(changes.size());
    List<Line> lines = new ArrayList<>(changes.size());
    List<Ready> released = new ArrayList<>();
    List<Long> stopped = new ArrayList<>();
    for (WaitingChange change : changes) {
      JobFacts job = change.job();
      // An element that is released from a hold waits for its turn in its array again.
      boolean itsTurn =
          !later.contains(job.id()) && (job.array() == null || job.state() == JobState.WAITING);
      JobState next = state(change.held(), change.unmet(), itsTurn);
      Instant notBefore = next == job.state() ? job.notBefore() : RetryBackoff.notBefore(job, now);
      rows.add(new Wait(job, next, change.held(), change.unmet(), notBefore, reason(change, next)));
      if (next != job.state()) {
        lines.add(new Line(job.id(), next, job.attempt(), change.event()));
        wakeUps.jobChanged(handle, job.id());
        if (next == JobState.WAITING && !job.isArray()) {
          released.add(new Ready(job, readyAt(notBefore, now)));
        } else if (job.state() == JobState.WAITING) {
          stopped.add(job.id());
        }
      }
    }
    jobs.changeWaits(handle, rows);
    ready.delete(handle, stopped);
    ready.insert(handle, released);
    history.write(handle, lines, now);
    if (rows.stream().anyMatch(row -> row.next() == JobState.WAITING)) {
      wakeUps.ready(handle);
    }
  }

  private static List<Long> inLanes(List<WaitingChange> changes) {
    return changes.stream()
        .map(WaitingChange::job)
        .filter(job -> job.lane() != null)
        .map(JobFacts::id)
        .toList();
  }

  private static String reason(WaitingChange change, JobState next) {
    return switch (next) {
      case HELD -> change.event();
      case BLOCKED -> JobMessages.blocked(change.unmet(), change.job().lane());
      default -> null;
    };
  }

  private static Instant readyAt(Instant notBefore, Instant now) {
    return notBefore != null && notBefore.isAfter(now) ? notBefore : now;
  }
}
