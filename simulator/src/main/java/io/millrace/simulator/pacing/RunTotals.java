package io.millrace.simulator.pacing;

/** Running totals of one simulation. Used by one thread. */
final class RunTotals {
  long inserted;
  long acknowledged;
  long runs;
  long started;
  long finished;
  long emptyRuns;
  long failedRuns;
  long eventSteps;
  long mostWaiting;
  long oldestSteps;
  long heldSteps;
  int mostOutstanding;
}
