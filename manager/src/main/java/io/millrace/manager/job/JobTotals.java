package io.millrace.manager.job;

import io.millrace.api.job.JobCounts;
import io.millrace.api.job.JobKind;
import io.millrace.manager.job.JobTotalDao.StateCounts;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.EnumSet;

/**
 * How many jobs there are, for pages that are shown all the time. Counting reads the whole of an
 * index, some tenths of a second with a million jobs: as long as that takes little time it is done
 * when asked, and otherwise by a thread of its own, that spends at most a twentieth of its time on
 * it, and only while somebody asks. Thread-safe.
 */
public final class JobTotals implements Service {
  private static final Duration INTERVAL = Duration.ofMillis(500);
  private static final long FRESH_NANOS = Duration.ofMillis(900).toNanos();
  private static final long CHEAP_NANOS = Duration.ofMillis(30).toNanos();
  private static final int SHARE = 20;

  private final Database database;
  private final JobReadDao reads = new JobReadDao();
  private final Clock clock;
  private final Loop loop;
  // The following guarded by this.
  private Kept kept;
  private boolean asked;

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

  /** Jobs that people and programs submitted, by state. */
  public JobCounts submitted() {
    return counts().of(EnumSet.of(JobKind.SUBMITTED));
  }

  /** All jobs by state, workers and managers included. */
  public JobCounts all() {
    return counts().of(EnumSet.allOf(JobKind.class));
  }

  private synchronized StateCounts counts() {
    asked = true;
    if (kept == null || (kept.cheap() && kept.stale(clock.nanoTime()))) {
      keep(count());
    }
    return kept.counts();
  }

  private void refresh() {
    synchronized (this) {
      if (!asked || kept == null || kept.cheap() || !kept.stale(clock.nanoTime())) {
        return;
      }
    }
    // Without the lock, so that nobody who asks waits for it.
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
    asked = false;
  }
}
