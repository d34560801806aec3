package io.millrace.manager.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.client.ProgramContext;
import io.millrace.api.task.RunConduct;
import io.millrace.api.task.RunStep;
import io.millrace.api.task.RunStep.Kind;
import io.millrace.manager.pacing.Streak;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A task manager: conducts one run until it ends or another attempt has taken its place. Argument:
 * the number of the run.
 */
public final class TaskManagerProgram implements BuiltinProgram {
  /** What a job's spec asks for. */
  public static final String NAME = "task-manager";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int run(ProgramContext context) throws InterruptedException {
    List<String> arguments = context.arguments();
    if (arguments.size() != 1 || !arguments.get(0).matches("\\d{1,18}")) {
      context.print(NAME + " wants one argument, the number of a run, not " + arguments);
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
   * The ticks of one task manager. All that it knows lies in the database, so a successor goes on
   * where this one stopped. Used by one thread.
   */
  private static final class RunConductor {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);
    private static final Set<ErrorCode> OVER =
        EnumSet.of(ErrorCode.STALE_ATTEMPT, ErrorCode.UNKNOWN_RUN);

    private final ProgramContext context;
    private final long run;
    private final Streak central;
    private Duration patience = Duration.ZERO;
    private RunStep last;

    RunConductor(ProgramContext context, long run) {
      this.context = context;
      this.run = run;
      this.central = new Streak("the central manager answers again", context::print);
    }

    /** Does one tick; the pause until the next, or nothing when there is no more to conduct. */
    Optional<Duration> tick() {
      try {
        RunConduct view = context.central().tasks().conduct(run, patience);
        RunStep step = RunRule.next(context.attempt(), view);
        boolean repeated = step.equals(last) && view.unsettled() == 0;
        // Whatever was done, the next view may ask for more at once; unless this one did nothing.
        patience = step.kind() == Kind.NOTE || repeated ? PATIENCE : Duration.ZERO;
        last = step;
        if (step.kind() != Kind.NOTE || view.unsettled() > 0) {
          context.central().tasks().step(run, step);
          tell(step);
        }
        central.succeeded();
        return Optional.of(Duration.ZERO);
      } catch (MillraceException e) {
        if (OVER.contains(e.code())) {
          context.print("nothing to conduct any more: " + e.getMessage());
          return Optional.empty();
        }
        central.failed("pausing, nothing could be done: " + e.getMessage());
        return Optional.of(AFTER_FAILURE);
      }
    }

    private void tell(RunStep step) {
      switch (step.kind()) {
        case NOTE -> {}
        case LIST -> context.print("list what is to be done");
        case READ_CHUNKS -> context.print("read what was printed");
        case WORK -> context.print("start " + step.workers());
        case VERIFY -> context.print("verify");
        case END ->
            context.print(
                "end: " + step.end() + (step.reason() == null ? "" : ", " + step.reason()));
      }
    }
  }
}
