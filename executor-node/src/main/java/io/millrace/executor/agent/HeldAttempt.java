package io.millrace.executor.agent;

import io.millrace.api.job.JobSpec;
import io.millrace.executor.run.Run;
import io.millrace.executor.run.RunResult;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One held attempt, which may be disowned: then it ends without a word, because a central manager
 * has said that it is not current any more. Its end and its disowning may come at the same time.
 */
final class HeldAttempt {
  private final Run run;
  private final JobSpec spec;
  private final CompletableFuture<Void> handedOn = new CompletableFuture<>();
  // Guarded by this.
  private boolean disowned;

  HeldAttempt(Run run, JobSpec spec) {
    this.run = run;
    this.spec = spec;
  }

  JobSpec spec() {
    return spec;
  }

  Run run() {
    return run;
  }

  /** Completed when the result is in the hands of the reporter, or disposed of. */
  CompletableFuture<Void> handedOn() {
    return handedOn;
  }

  /** Sees to it that no report is made from now on. */
  synchronized void disown() {
    disowned = true;
  }

  /** Gives the result either to its reporting or to its disposal. */
  void ended(RunResult result, Consumer<RunResult> reporting, Consumer<RunResult> disposal) {
    synchronized (this) {
      (disowned ? disposal : reporting).accept(result);
    }
    handedOn.complete(null);
  }
}
