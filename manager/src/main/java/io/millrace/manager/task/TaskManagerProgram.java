package io.millrace.manager.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.client.ProgramContext;
import io.millrace.api.task.RunConduct;
import io.millrace.api.task.RunStep;
import io.millrace.api.task.RunStep.Kind;
import io.millrace.platform.lifecycle.RepeatedFailureLog;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A task manager: manages one run until it ends or the manager is replaced by another attempt.
 * Argument: the number of the run.
 */
public final class TaskManagerProgram implements BuiltinProgram {
  /** The program's name in a job's spec. */
  public static final String NAME = "task-manager";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int run(ProgramContext context) throws InterruptedException {
    List<String> arguments = context.arguments();
    if (arguments.size() != 1 || !arguments.get(0).matches("\\d{1,18}")) {
      context.print(
          "%s expects one argument, the number of a run, not %s".formatted(NAME, arguments));
      return 2;
    }
    RunConductor conductor = new RunConductor(context, Long.parseLong(arguments.get(0)));
    Optional<Duration> pause = conductor.tick();
    while (pause.isPresent()) {
      context.pause(pause.get());
      pause = conductor.tick();
    }
    return 0;
  }

  /**
   * The ticks of one task manager. Its state is in the database, so a successor continues where
   * this one stopped. Used by one thread.
   */
  private static final class RunConductor {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);
    private static final Set<ErrorCode> OVER =
        EnumSet.of(ErrorCode.STALE_ATTEMPT, ErrorCode.UNKNOWN_RUN);

    private final ProgramContext context;
    private final long run;
    private final RepeatedFailureLog central;
    private Duration timeout = Duration.ZERO;
    private RunStep last;

    RunConductor(ProgramContext context, long run) {
      this.context = context;
      this.run = run;
      this.central =
          new RepeatedFailureLog("the central manager is reachable again", context::print);
    }

    /** Runs one tick; returns the pause until the next, or empty when the run has ended. */
    Optional<Duration> tick() {
      try {
        RunConduct view =
            context.central().tasks().conduct(run, context.attempt(), context.secret(), timeout);
        RunStep step = RunRule.next(context.attempt(), view);
        boolean repeated = step.equals(last) && view.unsettled() == 0;
        // After a step the next view may require another at once; wait only if this one did
        // nothing.
        timeout = step.kind() == Kind.NOTE || repeated ? TIMEOUT : Duration.ZERO;
        last = step;
        if (step.kind() != Kind.NOTE || view.unsettled() > 0) {
          context.central().tasks().step(run, step, context.secret());
          report(step);
        }
        central.succeeded();
        return Optional.of(Duration.ZERO);
      } catch (MillraceException e) {
        if (OVER.contains(e.code())) {
          context.print("nothing left to manage: " + e.getMessage());
          return Optional.empty();
        }
        central.failed("no progress possible, pausing: " + e.getMessage());
        return Optional.of(AFTER_FAILURE);
      }
    }

    private void report(RunStep step) {
      switch (step.kind()) {
        case NOTE -> {}
        case LIST -> context.print("listing the work");
        case READ_CHUNKS -> context.print("reading the list of chunks");
        case WORK -> context.print("starting " + MessageText.counted(step.workers(), "worker"));
        case VERIFY -> context.print("verifying");
        case END ->
            context.print(
                "end: " + step.end() + (step.reason() == null ? "" : ", " + step.reason()));
      }
    }
  }
}
