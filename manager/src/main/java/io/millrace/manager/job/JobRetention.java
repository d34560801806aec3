package io.millrace.manager.job;

import io.millrace.manager.job.ElementBlockDao.DeletedBlocks;
import io.millrace.manager.job.JobTotalDao.KeptWorkers;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.RetentionRounds;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.Handle;

/**
 * Deletes ended jobs whose retention has ended, old attempts of jobs that are always restarted, and
 * idempotency keys, in chunks with a transaction each. Runs as a claimed duty. Totals of workers
 * are kept longer than their jobs.
 *
 * <p>Rows to be deleted are found by an index, so that the cost depends on what is deleted and not
 * on what is kept.
 */
public final class JobRetention {
  private static final int CHUNK = 500;
  private static final int FOLDED = 1000;
  private static final int MAX_QUEUES = 100;
  private static final Duration KEEP_KEYS = Duration.ofMinutes(10);

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final JobRetentionDao store = new JobRetentionDao();
  private final JobTotalDao totals = new JobTotalDao();
  private final IdempotencyDao keys = new IdempotencyDao();
  private final Duration keep;
  private final int keptWorkers;

  /**
   * @param keep how long ended jobs are kept
   * @param keptWorkers most successful workers that are kept of each queue
   */
  public JobRetention(Database database, ClaimDao claims, Duration keep, int keptWorkers) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.keep = keep;
    this.keptWorkers = keptWorkers;
  }

  /** One run under its claim; returns how many jobs were deleted. */
  public int run(Claim claim) {
    AtomicInteger deleted = new AtomicInteger();
    RetentionRounds rounds = rounds(claim);
    for (KeptWorkers beyond :
        database.read(handle -> totals.workersBeyond(handle, keptWorkers, MAX_QUEUES))) {
      AtomicLong left = new AtomicLong(beyond.jobs() - keptWorkers);
      rounds.add(handle -> deleteWorkers(handle, beyond.queue(), left, deleted));
    }
    rounds
        .add(handle -> deleteEnded(handle, deleted))
        .add(handle -> store.trimSome(handle, time.now(handle), keep))
        .add(
            handle ->
                keys.deleteUsedBefore(handle, time.now(handle).minus(KEEP_KEYS), CHUNK) == CHUNK)
        .run();
    return deleted.get();
  }

  /** Adds up the counts of ended jobs, under a separate claim, because this is due often. */
  public void fold(Claim claim) {
    rounds(claim).add(handle -> totals.fold(handle, FOLDED) == FOLDED).run();
  }

  private RetentionRounds rounds(Claim claim) {
    return new RetentionRounds(database, handle -> claims.lock(handle, claim));
  }

  private boolean deleteWorkers(
      Handle handle, String queue, AtomicLong left, AtomicInteger deleted) {
    long before = left.get();
    int chunk = (int) Math.min(CHUNK, before);
    int gone = store.delete(handle, store.oldestSuccessfulWorkers(handle, queue, chunk));
    // Only after the commit, because the transaction may be repeated.
    handle.afterCommit(
        () -> {
          deleted.addAndGet(gone);
          left.addAndGet(-gone);
        });
    return gone > 0 && before > gone;
  }

  private boolean deleteEnded(Handle handle, AtomicInteger deleted) {
    List<Long> old = store.endedBefore(handle, time.now(handle).minus(keep), CHUNK);
    DeletedBlocks elements = store.deleteEndedElements(handle, old, CHUNK);
    handle.afterCommit(() -> deleted.addAndGet(Math.toIntExact(elements.elements())));
    if (elements.rows() == CHUNK) {
      // The arrays themselves follow when nothing is left of their elements.
      return true;
    }
    int gone = store.delete(handle, old);
    handle.afterCommit(() -> deleted.addAndGet(gone));
    // A chunk of which nothing could be deleted ends the run: its jobs are being retried.
    return gone > 0 && old.size() == CHUNK;
  }
}
