package io.millrace.executor.agent;

import io.millrace.api.job.AttemptId;
import io.millrace.executor.run.Run;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The attempts that this node has accepted and whose end no central manager has answered yet.
 * Thread-safe, never blocks.
 */
public final class HeldAttempts {
  private final ConcurrentMap<AttemptId, HeldAttempt> held = new ConcurrentHashMap<>();

  /** Their ids, in no order. */
  public List<AttemptId> ids() {
    return List.copyOf(held.keySet());
  }

  /** Whether the attempt has not ended yet. */
  public boolean isLive(AttemptId attempt) {
    return run(attempt).filter(run -> !run.result().isDone()).isPresent();
  }

  /** The attempt's run; empty when it is not held. */
  public Optional<Run> run(AttemptId attempt) {
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
}
