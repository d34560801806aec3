package io.millrace.executor.agent;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.executor.run.AttemptRun;
import io.millrace.executor.run.CompletedRun;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;

/**
 * The attempts that this node has accepted and whose end no central manager has acknowledged yet.
 * Thread-safe, never blocks.
 */
public final class HeldAttempts {
  private final ConcurrentMap<AttemptId, HeldAttempt> held = new ConcurrentHashMap<>();

  /** Their ids, in no order. */
  public List<AttemptId> ids() {
    return List.copyOf(held.keySet());
  }

  /** How many of them have not ended. */
  long running() {
    return held.values().stream().filter(one -> !one.run().result().isDone()).count();
  }

  /** The attempt's run; empty when it is not held. */
  public Optional<AttemptRun> run(AttemptId attempt) {
    return find(attempt).map(HeldAttempt::run);
  }

  Optional<HeldAttempt> find(AttemptId attempt) {
    return Optional.ofNullable(held.get(attempt));
  }

  Collection<HeldAttempt> all() {
    return List.copyOf(held.values());
  }

  void add(HeldAttempt attempt) {
    held.put(attempt.run().attempt(), attempt);
  }

  void remove(AttemptId attempt) {
    held.remove(attempt);
  }

  /**
   * A held attempt, which may be disowned: then its end is not reported, because a central manager
   * has declared that it is no longer current. It may end and be disowned at the same time.
   */
  static final class HeldAttempt {
    private final AttemptRun run;
    private final JobSpec spec;
    private final CompletableFuture<Void> passedOn = new CompletableFuture<>();
    // Guarded by this.
    private boolean disowned;

    HeldAttempt(AttemptRun run, JobSpec spec) {
      this.run = run;
      this.spec = spec;
    }

    JobSpec spec() {
      return spec;
    }

    AttemptRun run() {
      return run;
    }

    /** Completed when the result was passed to the reporter or disposed of. */
    CompletableFuture<Void> passedOn() {
      return passedOn;
    }

    /** Prevents reports from now on. */
    synchronized void disown() {
      disowned = true;
    }

    /** Passes the result either to its reporting or to its disposal. */
    void ended(
        CompletedRun result, Consumer<CompletedRun> reporting, Consumer<CompletedRun> discarding) {
      synchronized (this) {
        (disowned ? discarding : reporting).accept(result);
      }
      passedOn.complete(null);
    }
  }
}
