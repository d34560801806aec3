package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.platform.database.Database;

/** The arrays of one central manager, put together and joined to its ledger of jobs. */
public final class JobArrays {
  private final ArrayFeed feed;
  private final ArraySteward steward;

  public JobArrays(Database database, JobLedger ledger, WakeUps wakeUps) {
    ElementSweep sweep = new ElementSweep(ledger.actions());
    ArrayEnd end = new ArrayEnd(ledger.finalEnds(), wakeUps);
    ledger.watch(new ArrayWatcher());
    ledger.actions().arraysBy(new ArrayCommands(sweep, end));
    this.feed =
        new ArrayFeed(
            (handle, owner, elements, now) ->
                ledger.record(handle, JobKind.SUBMITTED, owner, elements));
    this.steward = new ArraySteward(database, new ArraySteps(sweep, end, wakeUps), wakeUps);
  }

  /** What makes elements into jobs, for the dispatch. */
  public ArrayFeed feed() {
    return feed;
  }

  /** What makes arrays follow their elements; to be started and stopped by the caller. */
  public ArraySteward steward() {
    return steward;
  }
}
