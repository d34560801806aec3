package io.millrace.executor.agent;

import io.millrace.api.job.AttemptId;
import io.millrace.executor.run.RunResult;

/** Learns what a central manager said to a report. Called on the reporter's thread. */
interface Settlement {
  /** The end is recorded. */
  void recorded(RunResult result);

  /** The attempt is not current any more; nothing was recorded. */
  void refused(AttemptId attempt);
}
