package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.platform.database.Database;

/** Composes the handling of arrays of one central manager and connects it to its ledger of jobs. */
public final class JobArrays {
  private final ArrayExpander expander;
  private final ArrayReconciler reconciler;

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

  /** Makes arrays follow their elements; to be started and stopped by the caller. */
  public ArrayReconciler reconciler() {
    return reconciler;
  }
}
