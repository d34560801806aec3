package io.millrace.manager.deletion;

import io.millrace.manager.job.JobLedger;
import io.millrace.manager.pacing.AllowanceDao;
import io.millrace.manager.pacing.BreakerDao;
import io.millrace.manager.pacing.OverrideDao;
import io.millrace.manager.pacing.PacingStateDao;
import io.millrace.manager.pacing.RateDao;
import io.millrace.manager.queue.ControlDao;
import io.millrace.manager.weight.WeightDao;
import java.time.Instant;
import java.util.List;
import java.util.function.BiConsumer;
import org.jdbi.v3.core.Handle;

/**
 * What the database holds of a queue besides its history: weights, pauses, breaker, what managers
 * hand over, totals of workers, denials. Thread-safe; runs in the caller's transaction.
 */
public final class QueueRows {
  private final JobLedger ledger;
  private final BiConsumer<Handle, List<String>> denials;

  /**
   * Rows of queues.
   *
   * @param denials forgets on which nodes these definitions of jobs were denied
   */
  public QueueRows(JobLedger ledger, BiConsumer<Handle, List<String>> denials) {
    this.ledger = ledger;
    this.denials = denials;
  }

  /** Locks the queue against decisions about its segments. */
  void lock(Handle handle, String queue) {
    WeightDao.lock(handle, queue);
  }

  /** Removes them, and ends the override in force. */
  void remove(Handle handle, String queue, String by, Instant now) {
    WeightDao.remove(handle, queue);
    ControlDao.remove(handle, queue);
    BreakerDao.remove(handle, queue);
    OverrideDao.end(handle, queue, by, now);
    PacingStateDao.remove(handle, queue);
    RateDao.remove(handle, queue);
    AllowanceDao.remove(handle, queue);
    ledger.forgetWorkers(handle, queue);
    denials.accept(handle, List.of("queue:" + queue, "manager:" + queue));
  }
}
