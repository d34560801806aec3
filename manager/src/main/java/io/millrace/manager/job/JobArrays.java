package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.platform.database.Database;
import java.time.Instant;
import java.util.Collection;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;

/** Composes the handling of arrays of one central manager and connects it to its ledger of jobs. */
public final class JobArrays {
  private final ArrayExpander expander;
  private final ArrayReconciler reconciler;
  private final ArrayElements elements = new ArrayElements();

  public JobArrays(
      Database database, JobLedger ledger, WakeUps wakeUps, ReleasedElements released) {
    ArrayCompletion completion = new ArrayCompletion(ledger.completion(), wakeUps);
    ledger.watch(new ArrayWatcher());
    ledger.actions().delegateArrays(new ArrayActionHandler(ledger.actions(), completion));
    this.expander =
        new ArrayExpander(
            (handle, owner, elements, now) ->
                ledger.record(handle, JobKind.SUBMITTED, owner, elements),
            released);
    this.reconciler = new ArrayReconciler(database, ledger.actions(), completion, wakeUps);
  }

  /** Creates jobs of elements, for the dispatch. */
  public ArrayExpander expander() {
    return expander;
  }

  /**
   * Lets elements of these arrays that wait for a slot wait for their turn in the array again, some
   * of each, in the caller's transaction.
   *
   * @param reason why they wait
   */
  public void withdraw(Handle handle, Collection<Long> arrays, String reason, Instant now) {
    for (long array : new TreeSet<>(arrays)) {
      elements.withdraw(handle, array, reason, now);
    }
  }

  /** Makes arrays follow their elements; to be started and stopped by the caller. */
  public ArrayReconciler reconciler() {
    return reconciler;
  }
}
