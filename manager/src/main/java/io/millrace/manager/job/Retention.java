package io.millrace.manager.job;

import io.millrace.manager.job.store.DatabaseTime;
import io.millrace.manager.job.store.IdempotencyStore;
import io.millrace.manager.job.store.LaneStore;
import io.millrace.manager.job.store.RetentionStore;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.store.ClaimStore;
import io.millrace.platform.database.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;

/**
 * Deletes ended jobs that are not kept any longer, in chunks, each in a transaction of its own.
 * Runs as a claimed duty. Totals of workers outlive their jobs. Idempotency keys and empty lanes
 * go, too.
 */
public final class Retention {
  private static final int CHUNK = 500;
  private static final Duration KEEP_KEYS = Duration.ofMinutes(10);

  private final Database database;
  private final DatabaseTime time;
  private final ClaimStore claims;
  private final RetentionStore store = new RetentionStore();
  private final IdempotencyStore keys = new IdempotencyStore();
  private final LaneStore lanes = new LaneStore();
  private final Duration keep;
  private final int keptWorkers;

  /**
   * @param keep how long ended jobs are kept
   * @param keptWorkers how many successful workers of each queue are kept at the most
   */
  public Retention(Database database, ClaimStore claims, Duration keep, int keptWorkers) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.keep = keep;
    this.keptWorkers = keptWorkers;
  }

  /** One run under the claim; returns how many jobs were deleted. */
  public int run(Claim claim) {
    int deleted = 0;
    for (String queue : database.read(store::queuesWithWorkers)) {
      deleted +=
          deleteAll(claim, handle -> store.oldSuccessfulWorkers(handle, queue, keptWorkers, CHUNK));
    }
    Instant before = database.read(time::now).minus(keep);
    deleted += deleteAll(claim, handle -> store.endedBefore(handle, before, CHUNK));
    trimLongRunning(claim);
    deleteKeys(claim);
    deleteIdleLanes(claim);
    return deleted;
  }

  private void deleteKeys(Claim claim) {
    int deleted;
    do {
      deleted =
          database.transaction(
              handle ->
                  claims.lock(handle, claim)
                      ? keys.deleteUsedBefore(handle, time.now(handle).minus(KEEP_KEYS), CHUNK)
                      : Integer.valueOf(0));
    } while (deleted == CHUNK);
  }

  private void deleteIdleLanes(Claim claim) {
    List<String> idle = database.read(handle -> lanes.idle(handle, CHUNK));
    if (!idle.isEmpty()) {
      database.transaction(
          handle -> {
            if (claims.lock(handle, claim)) {
              lanes.lock(handle, new TreeSet<>(idle));
              lanes.deleteIdle(handle, idle);
            }
            return null;
          });
    }
  }

  private int deleteAll(Claim claim, Function<Handle, List<Long>> find) {
    int sum = 0;
    int found;
    int deleted;
    do {
      List<Long> old = database.read(find::apply);
      found = old.size();
      deleted =
          database.transaction(
              handle ->
                  claims.lock(handle, claim) ? store.delete(handle, old) : Integer.valueOf(0));
      sum += deleted;
      // A chunk of which nothing could be deleted ends the run: the claim is gone, or they live.
    } while (found == CHUNK && deleted > 0);
    return sum;
  }

  // A job that is restarted for ever never ends, but its old attempts do.
  private void trimLongRunning(Claim claim) {
    database.transaction(
        handle -> {
          if (claims.lock(handle, claim)) {
            store.trimLiveJobs(handle, time.now(handle).minus(keep));
          }
          return null;
        });
  }
}
