package io.millrace.cli.definition;

import io.millrace.api.Durations;
import io.millrace.api.job.Outcome;
import io.millrace.api.task.PerpetualDefinition;
import io.millrace.api.task.TaskDefinition;

/** What a worker's end would have meant for a run of its task. Pure. */
final class RunFate {
  private RunFate() {}

  /** In words. */
  static String of(Outcome outcome, TaskDefinition task) {
    if (outcome == Outcome.SUCCEEDED) {
      return done(task);
    }
    if (outcome == Outcome.IDLE) {
      return idle(task);
    }
    int retries = task.job().retry().max();
    String what = task.chunks() == null ? "the worker" : "the chunk";
    return retries == 0
        ? what + " would have failed, and with it the run (job.retry tries again)"
        : what + " would be tried again, " + retries + " times at the most; then the run fails";
  }

  private static String done(TaskDefinition task) {
    if (task.untilDone()) {
      return "the run would go on with another worker, for this one found work";
    }
    String done = task.chunks() == null ? "the worker's part" : "the chunk";
    return done + " would be done" + pause(task, false);
  }

  private static String idle(TaskDefinition task) {
    return task.untilDone()
        ? "the run would end, for nothing is left"
        : "it found nothing to do, which is a success" + pause(task, true);
  }

  private static String pause(TaskDefinition task, boolean idle) {
    PerpetualDefinition perpetual = task.schedule() == null ? null : task.schedule().perpetual();
    if (perpetual == null) {
      return "";
    }
    return "; the next run starts "
        + Durations.format(idle ? perpetual.afterNothing() : perpetual.afterWork())
        + " after it";
  }
}
