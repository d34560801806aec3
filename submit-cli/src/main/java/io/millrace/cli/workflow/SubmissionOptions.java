package io.millrace.cli.workflow;

import io.millrace.api.workflow.ResumeMode;
import io.millrace.cli.invocation.OptionRefusal;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options of commands that submit a workflow. */
final class SubmissionOptions {
  @Option(
      names = "--resume",
      paramLabel = "MODE",
      description =
          "If it is running: with hot, steps that have not started use the file and failed ones run"
              + " again; with cold, those that run are ended first and run again too; without this"
              + " option, it is left unchanged.")
  private ResumeMode resume;

  @Option(
      names = "--allow-infeasible",
      description = "Submit it even if no node has what some steps ask for; they wait for one.")
  private boolean allowInfeasible;

  @Option(names = "--wait", description = "Wait until the workflow has ended.")
  private boolean wait;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "With --wait: maximum time to wait, such as 5m.")
  private Duration timeout;

  /** Refuses options that have no effect without another one. */
  void check() {
    OptionRefusal.unless(timeout == null || wait, "--timeout", "requires --wait");
  }

  /** Refuses those that say how to submit, of a command that submits only with an option. */
  void refuseWithout(String option) {
    refuse("requires " + option);
  }

  /** Refuses those that say how to submit, of a command that does not submit with an option. */
  void refuseWith(String option) {
    refuse("cannot be used with " + option);
  }

  private void refuse(String fix) {
    OptionRefusal.unless(!wait, "--wait", fix);
    OptionRefusal.unless(resume == null, "--resume", fix);
    OptionRefusal.unless(!allowInfeasible, "--allow-infeasible", fix);
  }

  /** What happens to a workflow that runs; null if it is left as it is. */
  ResumeMode resume() {
    return resume;
  }

  boolean allowsInfeasible() {
    return allowInfeasible;
  }

  boolean waits() {
    return wait;
  }

  /** Null for no limit. */
  Duration timeout() {
    return timeout;
  }
}
