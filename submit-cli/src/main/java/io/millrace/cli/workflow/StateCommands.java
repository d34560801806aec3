package io.millrace.cli.workflow;

import io.millrace.api.client.WorkflowClient;
import io.millrace.api.workflow.ResumeMode;
import io.millrace.api.workflow.StatusChange;
import io.millrace.api.workflow.StepReset;
import io.millrace.api.workflow.WorkflowEvent.WorkflowHistory;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Escaping;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The commands that change what has run: {@code millrace workflow
 * retry|reset|set-status|archive|unarchive|history}.
 */
final class StateCommands {
  private StateCommands() {}

  /** The commands. */
  static List<Object> all(Invocation invocation) {
    return List.of(
        new Retry(invocation),
        new Reset(invocation),
        new SetStatus(invocation),
        new Archive(invocation),
        new Unarchive(invocation),
        new History(invocation));
  }

  /** A command about one workflow. */
  private abstract static class OfWorkflow implements Callable<Integer> {
    final Invocation invocation;

    @Parameters(index = "0", paramLabel = "ID", description = "Number of the workflow.")
    long workflow;

    OfWorkflow(Invocation invocation) {
      this.invocation = invocation;
    }

    abstract void run();

    @Override
    public final Integer call() {
      run();
      return ExitCode.OK.code();
    }

    final WorkflowClient workflows() {
      return invocation.central().workflows();
    }

    final void report(WorkflowView changed) {
      invocation.report(changed, WorkflowFormatter.ending(changed));
    }
  }

  /** A command about steps of a workflow. */
  private abstract static class OfSteps extends OfWorkflow {
    @Parameters(
        index = "1..*",
        arity = "0..*",
        paramLabel = "STEP",
        description = "Steps, as of 'workflow explain'; at most 1,000.")
    List<String> steps = List.of();

    OfSteps(Invocation invocation) {
      super(invocation);
    }
  }

  @Command(
      name = "retry",
      description = "Runs the failed and cancelled steps of a workflow again.",
      footer = {
        "",
        "Examples:",
        "  millrace workflow retry 17 --failed",
        "  millrace workflow retry 17 --hot",
        "  millrace workflow retry 17 --cold --with-dependents",
        "",
        "A workflow that is running is refused without --hot or --cold. With --hot, the steps that run",
        "continue and count when they end; with --cold, they are ended first and then run again."
      })
  static final class Retry extends OfWorkflow {
    @SuppressWarnings("UnusedVariable") // says only what happens without it, too
    @Option(names = "--failed", description = "The steps that failed or were cancelled (default).")
    private boolean failed;

    @Option(
        names = "--with-dependents",
        description = "Set all steps below them back as well, those that succeeded included.")
    private boolean dependents;

    @Option(names = "--hot", description = "While it runs: leave the steps that run.")
    private boolean hot;

    @Option(names = "--cold", description = "While it runs: end the steps that run first.")
    private boolean cold;

    Retry(Invocation invocation) {
      super(invocation);
    }

    @Override
    void run() {
      OptionRefusal.unless(!hot || !cold, "--hot", "cannot be used with --cold");
      ResumeMode mode = hot ? ResumeMode.HOT : cold ? ResumeMode.COLD : null;
      WorkflowView retried = workflows().retry(workflow, mode, dependents);
      report(retried);
      if (retried.paused()) {
        invocation.note("paused; 'millrace workflow resume %d' ends that".formatted(workflow));
      }
    }
  }

  @Command(
      name = "reset",
      description = "Makes steps that have ended run again.",
      footer = {
        "",
        "Examples:",
        "  millrace workflow reset 17 'fetch[42]'",
        "  millrace workflow reset 17 301 302 --with-dependents",
        "  millrace workflow reset 17 --template convert --cold",
        "",
        "Without --with-dependents, steps below them that have succeeded stay so. Steps that run are",
        "refused, unless --cold ends them first. A workflow that had ended runs again."
      })
  static final class Reset extends OfSteps {
    @Option(names = "--template", paramLabel = "NAME", description = "All steps of this template.")
    private String template;

    @Option(
        names = "--with-dependents",
        description = "All steps below them as well, those that succeeded included.")
    private boolean dependents;

    @Option(names = "--cold", description = "End those of them that run first.")
    private boolean cold;

    Reset(Invocation invocation) {
      super(invocation);
    }

    @Override
    void run() {
      OptionRefusal.unless(
          template != null || !steps.isEmpty(), "STEP", "give at least one step, or --template");
      WorkflowView reset =
          workflows().reset(workflow, new StepReset(steps, template, dependents, cold));
      invocation.report(
          reset,
          "workflow %d: the steps are reset; see 'millrace workflow show %d'"
              .formatted(workflow, workflow));
    }
  }

  @Command(
      name = "set-status",
      description = "Declares how steps ended, or, without STEP, how an ended run did.",
      footer = {
        "",
        "Examples:",
        "  millrace workflow set-status 17 'fetch[42]' --to succeeded --reason 'copied from the archive'",
        "  millrace workflow set-status 17 --to failed",
        "",
        "Steps that wait for one that is set to succeeded start as if it had succeeded by itself. The",
        "state of a run decides what the next submission of the same file does: one that failed or was",
        "cancelled is resumed, one that succeeded is refused."
      })
  static final class SetStatus extends OfSteps {
    @Option(
        names = "--to",
        required = true,
        paramLabel = "STATE",
        description = "succeeded, failed or, of a run only, cancelled (required).")
    private String to;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; is recorded.")
    private String reason;

    SetStatus(Invocation invocation) {
      super(invocation);
    }

    @Override
    void run() {
      WorkflowView changed = workflows().setStatus(workflow, new StatusChange(steps, to, reason));
      if (steps.isEmpty()) {
        report(changed);
      } else {
        invocation.report(
            changed,
            Escaping.text(
                "workflow %d: the %s to %s"
                    .formatted(workflow, steps.size() == 1 ? "step is set" : "steps are set", to)));
      }
    }
  }

  @Command(
      name = "archive",
      description = "Hides an ended workflow from 'workflow list'.",
      footer = {
        "",
        "Example:",
        "  millrace workflow archive 17",
        "",
        "It is kept as long as other workflows; 'workflow list --archived' shows it."
      })
  static final class Archive extends OfWorkflow {
    Archive(Invocation invocation) {
      super(invocation);
    }

    @Override
    void run() {
      WorkflowView archived = workflows().archive(workflow);
      invocation.report(archived, "workflow %d archived".formatted(workflow));
    }
  }

  @Command(
      name = "unarchive",
      description = "Shows an archived workflow in 'workflow list' again.",
      footer = {"", "Example:", "  millrace workflow unarchive 17"})
  static final class Unarchive extends OfWorkflow {
    Unarchive(Invocation invocation) {
      super(invocation);
    }

    @Override
    void run() {
      WorkflowView shown = workflows().unarchive(workflow);
      invocation.report(shown, "workflow %d is no longer archived".formatted(workflow));
    }
  }

  @Command(
      name = "history",
      description = "Lists what operators did to a workflow, oldest first.",
      footer = {
        "",
        "Example:",
        "  millrace workflow history 17",
        "",
        "Pauses, limits, resumptions, resets, declared states, cancellation and archiving; the newest",
        "1,000."
      })
  static final class History extends OfWorkflow {
    History(Invocation invocation) {
      super(invocation);
    }

    @Override
    void run() {
      WorkflowHistory history = workflows().history(workflow);
      invocation.list(
          history, () -> WorkflowFormatter.events(history.events(), invocation.now()), "no events");
    }
  }
}
