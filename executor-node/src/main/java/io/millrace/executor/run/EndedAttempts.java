package io.millrace.executor.run;

import io.millrace.api.job.AttemptId;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The ended attempts whose directories exist, oldest first. Thread-safe, never blocks for long. */
final class EndedAttempts {
  private record Ended(AttemptId attempt, Instant at) {}

  private final LogRetentionSettings settings;
  // Guarded by this.
  private final Deque<Ended> successfulWorkers = new ArrayDeque<>();
  private final Deque<Ended> others = new ArrayDeque<>();

  EndedAttempts(LogRetentionSettings settings) {
    this.settings = settings;
  }

  synchronized void add(AttemptId attempt, boolean successfulWorker, Instant at) {
    (successfulWorker ? successfulWorkers : others).add(new Ended(attempt, at));
  }

  /** Takes out what need not be kept any longer. */
  synchronized List<AttemptId> takeExpired(Instant now) {
    List<AttemptId> expired = new ArrayList<>();
    while (successfulWorkers.size() > settings.successfulWorkers()) {
      expired.add(successfulWorkers.remove().attempt());
    }
    Instant oldest = now.minus(settings.age());
    while (others.size() > settings.others()
        || (!others.isEmpty() && others.peek().at().isBefore(oldest))) {
      expired.add(others.remove().attempt());
    }
    return expired;
  }
}
