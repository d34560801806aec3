package io.millrace.executor.supervision;

import io.millrace.api.execution.CommandEnd;
import io.millrace.api.job.AttemptId;

/** An attempt that an earlier agent has started. */
public sealed interface Recovered {

  /** The attempt. */
  AttemptId id();

  /** It ended meanwhile, with a known result. */
  record Ended(AttemptId id, CommandEnd ending) implements Recovered {}

  /** It runs and is supervised again. */
  record Alive(SupervisedProcess process) implements Recovered {
    @Override
    public AttemptId id() {
      return process.id();
    }
  }

  /** It ended without a record; whatever was left of it has been killed. */
  record Lost(AttemptId id, CommandEnd ending) implements Recovered {}
}
