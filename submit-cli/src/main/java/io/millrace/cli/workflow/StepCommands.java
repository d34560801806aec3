package io.millrace.cli.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.WorkflowClient;
import io.millrace.api.insight.FailureGroups;
import io.millrace.api.job.JobExplanation;
import io.millrace.api.workflow.StepView;
import io.millrace.api.workflow.StepView.StepDetails;
import io.millrace.api.workflow.StepView.StepPage;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.job.FailureDescription;
import io.millrace.cli.job.OutputOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands about steps: {@code millrace workflow steps|explain|logs|errors}. */
final class StepCommands {
  private static final int PAGE = 1000;
  private static final int MAX_LISTED = 100_000;
  private static final int MAX_TAIL = 1000;

  private StepCommands() {}

  /** The commands. */
  static List<Object> all(Invocation invocation) {
    return List.of(
        new Steps(invocation),
        new Explain(invocation),
        new Logs(invocation),
        new Errors(invocation));
  }

  /** The step of a command. Set by the parser. */
  static final class NamedStep {
    @Parameters(index = "0", paramLabel = "ID", description = "Number of the workflow.")
    private long workflow;

    @Parameters(
        index = "1",
        paramLabel = "STEP",
        description =
            "The step's number, the name of a listed step, the template of a single one, or"
                + " TEMPLATE[VALUE,...] of one that lists make.")
    private String step;

    StepDetails details(Invocation invocation) {
      return invocation.central().workflows().step(workflow, step);
    }
  }

  @Command(
      name = "steps",
      description = "Lists steps of a workflow, by rising number.",
      footer = {
        "",
        "Examples:",
        "  millrace workflow steps 17 --state failed",
        "  millrace workflow steps 17 --template fetch --limit 100",
        "",
        "Of very many steps, those that match may be far apart: the command asks for page after"
            + " page."
      })
  static final class Steps implements Callable<Integer> {
    private final Invocation invocation;

    @Parameters(paramLabel = "ID", description = "Number of the workflow.")
    private long workflow;

    @Option(
        names = "--template",
        paramLabel = "NAME",
        description = "Only the steps of this template.")
    private String template;

    @Option(
        names = "--state",
        paramLabel = "STATE",
        description = "Only steps in this state: waiting, released, succeeded, failed, cancelled.")
    private WorkflowStepState state;

    @Option(
        names = "--limit",
        paramLabel = "N",
        defaultValue = "20",
        description = "Maximum number of rows (default: ${DEFAULT-VALUE}).")
    private int limit;

    @Option(
        names = "--after",
        paramLabel = "STEP",
        description = "Only steps with higher numbers than this.")
    private Integer after;

    Steps(Invocation invocation) {
      this.invocation = invocation;
    }

    @Override
    public Integer call() {
      OptionRefusal.outside("--limit", limit, 1, MAX_LISTED);
      OptionRefusal.outside("--after", after, 0, Integer.MAX_VALUE);
      WorkflowClient workflows = invocation.central().workflows();
      List<StepView> steps = new ArrayList<>();
      Integer next = after;
      do {
        StepPage page =
            workflows.steps(workflow, template, state, next, Math.min(PAGE, limit - steps.size()));
        steps.addAll(page.steps());
        next = page.next();
      } while (next != null && steps.size() < limit);
      invocation.list(
          new StepPage(steps, next), () -> StepFormatter.table(steps), "no matching steps");
      if (next != null && !invocation.json()) {
        invocation.note("more steps: use --after " + next);
      }
      return 0;
    }
  }

  @Command(
      name = "explain",
      description = "Explains a step: what it waits for, what it needs, its job and attempts.",
      footer = {
        "",
        "Examples:",
        "  millrace workflow explain 17 301",
        "  millrace workflow explain 17 'simulate[linear,3]'",
        "",
        "If its job waits for a slot, the answer of each node follows, as of 'job explain'."
      })
  static final class Explain implements Callable<Integer> {
    private final Invocation invocation;
    @Mixin private NamedStep step;

    Explain(Invocation invocation) {
      this.invocation = invocation;
    }

    @Override
    public Integer call() {
      StepDetails details = step.details(invocation);
      ExplainedStep explained = new ExplainedStep(details, explanation(details));
      invocation.show(
          explained,
          () ->
              StepFormatter.description(
                  step.workflow, explained, invocation.now(), invocation.palette()));
      return 0;
    }

    private JobExplanation explanation(StepDetails details) {
      if (details.job() == null || details.step().state() != WorkflowStepState.RELEASED) {
        return null;
      }
      try {
        JobExplanation explanation = invocation.central().explain(details.job());
        return explanation.job().state().waits() ? explanation : null;
      } catch (MillraceException e) {
        if (e.code() == ErrorCode.UNKNOWN_JOB) {
          // It has ended in between, and its row is gone.
          return null;
        }
        throw e;
      }
    }
  }

  /**
   * A step, and why its job waits.
   *
   * @param step the step
   * @param job null unless its job waits
   */
  record ExplainedStep(StepDetails step, JobExplanation job) {}

  @Command(
      name = "logs",
      description = "Prints the output of a step: its stdout to stdout, its stderr to stderr.",
      footer = {
        "",
        "Examples:",
        "  millrace workflow logs 17 301",
        "  millrace workflow logs -f 17 report",
        "  millrace workflow logs 17 'fetch[42]' --stderr --tail 20"
      })
  static final class Logs implements Callable<Integer> {
    private final Invocation invocation;
    @Mixin private NamedStep step;
    @Mixin private OutputOptions output;

    Logs(Invocation invocation) {
      this.invocation = invocation;
    }

    @Override
    public Integer call() throws Exception {
      output.check();
      StepDetails details = step.details(invocation);
      if (details.job() == null) {
        throw new MillraceException(
            ErrorCode.UNKNOWN_ATTEMPT,
            "%s of workflow %d has no output: %s"
                .formatted(
                    StepFormatter.title(details.step()),
                    step.workflow,
                    details.reasons().isEmpty()
                        ? "it never ran, or the records of its job were deleted"
                        : details.reasons().get(0)));
      }
      output.print(invocation, details.job());
      return 0;
    }
  }

  @Command(
      name = "errors",
      description = "Groups the failed steps of a workflow by their cause.",
      footer = {
        "",
        "Example:",
        "  millrace workflow errors 17 --tail 20",
        "",
        "Causes are equal if the steps ended alike and their last lines of error output differ only",
        "in numbers, times and identifiers, shown as #. At most 10,000 steps are examined."
      })
  static final class Errors implements Callable<Integer> {
    private final Invocation invocation;

    @Parameters(paramLabel = "ID", description = "Number of the workflow.")
    private long workflow;

    @Option(
        names = "--tail",
        paramLabel = "N",
        description = "Lines of output of each sample (default: 5).")
    private Integer tail;

    Errors(Invocation invocation) {
      this.invocation = invocation;
    }

    @Override
    public Integer call() {
      OptionRefusal.outside("--tail", tail, 0, MAX_TAIL);
      FailureGroups groups = invocation.central().workflows().failures(workflow);
      new FailureDescription(
              groups,
              "failed steps",
              tail,
              invocation.now(),
              "millrace workflow logs " + workflow + " ")
          .print(invocation);
      return 0;
    }
  }
}
