package io.millrace.cli.definition;

import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.job.JobFormatter;
import io.millrace.cli.output.Escaping;

/** Says how a trial ended and what that would have meant. */
final class Verdict {
  private final Invocation invocation;

  Verdict(Invocation invocation) {
    this.invocation = invocation;
  }

  /**
   * How it ended.
   *
   * @param job that tried it
   * @param meaning for the events or the run, had it been a live one
   */
  record Ended(JobView job, String meaning) {}

  /** How it ended; stopped, if it was cancelled before it began. */
  static Outcome outcome(JobView job) {
    return job.outcome() == null ? Outcome.STOPPED : job.outcome();
  }

  /** Tells it; gives the worker's own exit code. */
  int tell(JobView job, String meaning) {
    if (invocation.json()) {
      invocation.terminal().json(new Ended(job, meaning));
    } else {
      String where = job.node() == null ? "" : " on " + job.node();
      invocation.terminal().note(Escaping.text("worker " + JobFormatter.ending(job) + where));
      invocation.terminal().note(Escaping.text(meaning));
    }
    return ExitCode.of(job);
  }
}
