package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.platform.database.Database;

/** The arrays of one central manager, put together and joined to its ledger of jobs. */
public final class JobArrays {
  private final ArrayExpander feed;
  private final ArrayReconciler steward;

  public JobArrays(Database database, JobLedger ledger, WakeUps wakeUps) {
    ElementSweep sweep = new ElementSweep(ledger.actions());
    ArrayCompletion end = new ArrayCompletion(ledger.finalEnds(), wakeUps);
    ledger.watch(new ArrayWatcher());
    ledger.actions().arraysBy(new ArrayActionHandler(sweep, end));
    this.feed =
        new ArrayExpander(
            (handle, owner, elements, now) ->
                ledger.record(handle, JobKind.SUBMITTED, owner, elements));
    this.steward = new ArrayReconciler(database, new ArraySteps(sweep, end, wakeUps), wakeUps);
  }

  /** What makes elements into jobs, for the dispatch. */
  public ArrayExpander feed() {
    return feed;
  }

  /** What makes arrays follow their elements; to be started and stopped by the caller. */
  public ArrayReconciler steward() {
    return steward;
  }
}
