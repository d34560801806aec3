package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.JobWatcher.EndedJob;
import io.millrace.manager.job.LaneDao.Entry;
import io.millrace.manager.job.WaitingJobs.WaitingChange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;

/**
 * Serial lanes: jobs of one lane run strictly in the order of their submission, one at a time. The
 * first that has not ended may run; retries, delays and holds do not change which is first.
 * Thread-safe.
 *
 * <p>The row of a lane is locked before any job's row whenever jobs enter or leave it, so that
 * concurrent transactions see one another's changes.
 */
final class Lanes {
  private final LaneDao store = new LaneDao();
  private final JobDao jobs = new JobDao();
  private final WaitingJobs waitingJobs;

  Lanes(WaitingJobs waitingJobs) {
    this.waitingJobs = waitingJobs;
  }

  /** Locked lanes, while jobs are added to them. Not thread-safe; used within one transaction. */
  static final class Entrance {
    private final Map<String, Long> positions;
    private final Set<String> occupied;
    private final List<Entry> entries = new ArrayList<>();

    private Entrance(Map<String, Long> positions, Set<String> occupied) {
      this.positions = new HashMap<>(positions);
      this.occupied = new HashSet<>(occupied);
    }

    /** Takes the next position in the lane, null for none; returns whether it is the first. */
    boolean first(String lane) {
      return lane == null || occupied.add(lane);
    }

    /** Records which job takes the next position. */
    void enter(long job, String lane) {
      if (lane != null) {
        entries.add(new Entry(job, lane, positions.merge(lane, 1L, Long::sum)));
      }
    }
  }

  /** Locks the lanes that new jobs are to enter; null means no lane. */
  Entrance open(Handle handle, Collection<String> wanted) {
    NavigableSet<String> names = new TreeSet<>();
    wanted.stream().filter(Objects::nonNull).forEach(names::add);
    if (names.isEmpty()) {
      return new Entrance(Map.of(), Set.of());
    }
    Map<String, Long> positions = Map.of();
    // Repeated when a lane was deleted as idle before it was locked.
    while (positions.size() < names.size()) {
      store.ensure(handle, names);
      positions = store.lock(handle, names);
    }
    return new Entrance(positions, store.heads(handle, names).keySet());
  }

  /** Records the jobs that entered. */
  void close(Handle handle, Entrance entrance) {
    if (!entrance.entries.isEmpty()) {
      store.append(handle, entrance.entries, entrance.positions);
    }
  }

  /** Locks the lanes of jobs whose rows the caller is about to lock. */
  void lockOf(Handle handle, Collection<Long> ids) {
    NavigableSet<String> names = new TreeSet<>(store.of(handle, ids));
    if (!names.isEmpty()) {
      store.lock(handle, names);
    }
  }

  /** Lets the next jobs of the lanes of ended ones start. */
  void leave(Handle handle, List<EndedJob> ended, Instant now) {
    NavigableSet<String> names = new TreeSet<>();
    List<Long> ids = new ArrayList<>();
    for (EndedJob end : ended) {
      if (end.job().lane() != null) {
        names.add(end.job().lane());
        ids.add(end.job().id());
      }
    }
    if (names.isEmpty()) {
      return;
    }
    store.lock(handle, names);
    store.remove(handle, ids);
    List<WaitingChange> changes =
        jobs.lock(handle, store.heads(handle, names).values()).stream()
            .filter(job -> job.state() == JobState.BLOCKED)
            .map(job -> WaitingChange.of(job, "first in lane " + job.lane()))
            .toList();
    waitingJobs.apply(handle, changes, now);
  }

  /**
   * The jobs, of locked ones about to start, that must not start because another is before them.
   * They are made to wait for their turn again.
   */
  Set<Long> notFirst(Handle handle, List<JobFacts> starting, Instant now) {
    List<Long> ids = starting.stream().filter(job -> job.lane() != null).map(JobFacts::id).toList();
    Set<Long> later = store.notFirst(handle, ids);
    waitingJobs.apply(
        handle,
        starting.stream()
            .filter(job -> later.contains(job.id()))
            .map(job -> WaitingChange.of(job, "another job of lane " + job.lane() + " comes first"))
            .toList(),
        now);
    return later;
  }
}
