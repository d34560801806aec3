package io.millrace.manager.task;

import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.client.ProgramContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

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
}
