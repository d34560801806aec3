package io.millrace.executor.supervision;

import io.millrace.api.job.AttemptId;

/** An attempt that an earlier life of the agent had started. */
public sealed interface Recovered {

  /** The attempt. */
  AttemptId id();

  /** It ended meanwhile and how is known. */
  record Ended(AttemptId id, ProcessExit ending) implements Recovered {}

  /** It runs and is supervised again. */
  record Alive(SupervisedProcess process) implements Recovered {
    @Override
    public AttemptId id() {
      return process.id();
    }
  }

  /** It is gone without a record; whatever was left of it has been killed. */
  record Lost(AttemptId id, ProcessExit ending) implements Recovered {}
}
