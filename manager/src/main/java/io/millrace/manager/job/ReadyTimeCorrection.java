package io.millrace.manager.job;

import io.millrace.manager.job.ReadyJobDao.Head;
import io.millrace.manager.job.ReadyJobDao.Planned;
import io.millrace.manager.job.RetryRule.RetryBackoff;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes jobs due whose ready times are in the future because the database's clock was ahead when
 * they were recorded, and has been set back since; otherwise they would wait until it shows that
 * time again. The wait before a retry is at most its full length from now. Jobs with a start time
 * of their own, and those that wait for the end of a restoration's hold, are not changed (G-08).
 * Thread-safe; blocks on the database, and reads the jobs that are not due once.
 */
public final class ReadyTimeCorrection {
  private static final Logger LOGGER = LoggerFactory.getLogger(ReadyTimeCorrection.class);
  private static final int AT_ONCE = 500;
  private static final Duration JUST_NOW = Duration.ofSeconds(2);

  private final Database database;
  private final DatabaseTime time;
  private final ReadyJobDao ready = new ReadyJobDao();
  private final RestorationDao restorations = new RestorationDao();

  public ReadyTimeCorrection(Database database) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
  }

  /** Corrects all of them; returns how many there were. */
  public int correct() {
    int all = 0;
    for (String pool : database.read(ready::pools)) {
      Optional<Head> head = database.read(handle -> ready.nextShape(handle, pool, 0));
      while (head.isPresent()) {
        long shape = head.get().shape();
        all += correct(pool, shape);
        head = database.read(handle -> ready.nextShape(handle, pool, shape));
      }
    }
    if (all > 0) {
      LOGGER.warn(
          "the database's clock was set back: waiting jobs with start times in the future can start now: {}",
          all);
    }
    return all;
  }

  private int correct(String pool, long shape) {
    Instant now = database.read(time::now);
    Set<Instant> holds = database.read(handle -> restorations.holds(handle, now));
    Instant from = now.plus(JUST_NOW);
    long last = Long.MAX_VALUE;
    int all = 0;
    List<Planned> some;
    do {
      Instant begin = from;
      long after = last;
      some = database.read(handle -> ready.notDue(handle, pool, shape, begin, after, AT_ONCE));
      List<Planned> unheld = some.stream().filter(one -> !holds.contains(one.readyAt())).toList();
      List<Long> ahead =
          unheld.stream()
              .filter(one -> one.notBefore() == null || !one.notBefore().isAfter(now))
              .map(Planned::job)
              .toList();
      if (!ahead.isEmpty()) {
        all += database.transaction(handle -> ready.makeDue(handle, ahead, now));
      }
      List<Planned> retries =
          unheld.stream()
              .filter(one -> waitsTooLong(one, now))
              .sorted(Comparator.comparingLong(Planned::job))
              .toList();
      if (!retries.isEmpty()) {
        all += database.transaction(handle -> waitFromNow(handle, retries));
      }
      if (!some.isEmpty()) {
        from = some.get(some.size() - 1).readyAt();
        last = some.get(some.size() - 1).job();
      }
    } while (!some.isEmpty());
    return all;
  }

  // Not waits that began only after this time was read.
  private static boolean waitsTooLong(Planned job, Instant now) {
    return job.notBefore() != null
        && job.notBefore().isAfter(now)
        && RetryBackoff.notBefore(job, now).plus(JUST_NOW).isBefore(job.notBefore());
  }

  private int waitFromNow(Handle handle, List<Planned> jobs) {
    Instant now = time.now(handle);
    int all = 0;
    for (Planned job : jobs) {
      all += ready.postpone(handle, job, RetryBackoff.notBefore(job, now)) ? 1 : 0;
    }
    return all;
  }
}
