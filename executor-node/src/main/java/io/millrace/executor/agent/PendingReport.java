package io.millrace.executor.agent;

import io.millrace.api.job.AttemptId;
import io.millrace.api.node.AttemptReport;
import io.millrace.executor.run.RunResult;
import java.time.Instant;

/** A report that no central manager has answered yet; dated when it is sent. */
sealed interface PendingReport {
  AttemptId attempt();

  AttemptReport at(Instant now);

  /** A start. */
  record Started(AttemptId attempt, Instant startedAt) implements PendingReport {
    @Override
    public AttemptReport at(Instant now) {
      return RunResult.started(attempt, startedAt, now);
    }
  }

  /** An end. */
  record Ended(RunResult result) implements PendingReport {
    @Override
    public AttemptId attempt() {
      return result.attempt();
    }

    @Override
    public AttemptReport at(Instant now) {
      return result.report(now);
    }
  }
}
