package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView.JobCounts;
import io.millrace.manager.job.JobTotalDao.StateCounts;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;

/**
 * Cached numbers of jobs, for pages that are shown all the time. Counting reads a whole index, a
 * few tenths of a second with a million jobs: as long as that is fast it is done on request, and
 * otherwise by a separate thread, which spends at most a twentieth of its time on it, and only
 * while the numbers are requested. Thread-safe.
 */
public final class JobTotals implements Service {
  private static final Duration INTERVAL = Duration.ofMillis(500);
  private static final long FRESH_NANOS = Duration.ofMillis(900).toNanos();
  private static final long CHEAP_NANOS = Duration.ofMillis(30).toNanos();
  private static final int SHARE = 20;

  private final Database database;
  private final JobReadDao reads;
  private final Clock clock;
  private final Loop loop;
  // The following guarded by this.
  private Kept kept;
  private boolean requested;

  private record Kept(StateCounts counts, long nanos, long cost) {
    boolean cheap() {
      return cost <= CHEAP_NANOS;
    }

    boolean stale(long now) {
      return now - nanos >= Math.max(FRESH_NANOS, SHARE * cost);
    }
  }

  public JobTotals(Database database, Clock clock) {
    this.database = database;
    this.reads = new JobReadDao(database.dialect());
    this.clock = clock;
    this.loop = new Loop("count-jobs", INTERVAL, this::refresh);
  }

  @Override
  public void start() {
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }

  /** Number of submitted jobs by state. */
  public JobCounts submitted() {
    return counts().of(EnumSet.of(JobKind.SUBMITTED));
  }

  /** Number of all jobs by state, including workers and managers. */
  public JobCounts all() {
    return counts().of(EnumSet.allOf(JobKind.class));
  }

  /** Number of jobs by kind and state. */
  public Map<JobKind, Map<JobState, Long>> byKind() {
    return counts().byKind();
  }

  private synchronized StateCounts counts() {
    requested = true;
    if (kept == null || (kept.cheap() && kept.stale(clock.nanoTime()))) {
      keep(count());
    }
    return kept.counts();
  }

  private void refresh() {
    synchronized (this) {
      if (!requested || kept == null || kept.cheap() || !kept.stale(clock.nanoTime())) {
        return;
      }
    }
    // Without the lock, so that callers do not wait for it.
    keep(count());
  }

  private Kept count() {
    long before = clock.nanoTime();
    StateCounts counts = database.read(reads::counts);
    long after = clock.nanoTime();
    return new Kept(counts, after, after - before);
  }

  private synchronized void keep(Kept counted) {
    kept = counted;
    requested = false;
  }
}
