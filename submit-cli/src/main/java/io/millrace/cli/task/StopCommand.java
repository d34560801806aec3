package io.millrace.cli.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.TaskClient;
import io.millrace.api.task.TaskRunView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "stop",
    description = "Stops the run of a task that lasts, with its workers.",
    footer = {
      "",
      "Examples:",
      "  millrace task stop nightly",
      "  millrace task stop nightly --run 17"
    })
final class StopCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The task.")
  private String name;

  @Option(names = "--run", paramLabel = "RUN", description = "Another run than the one that lasts.")
  private Long run;

  StopCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    TaskClient tasks = invocation.central().tasks();
    TaskRunView stopped = tasks.stop(run == null ? current(tasks) : run);
    String words = "run " + stopped.id() + " of " + stopped.task() + " is being stopped";
    invocation.answer(stopped, () -> invocation.terminal().line(Escaping.text(words)));
    return 0;
  }

  private long current(TaskClient tasks) {
    TaskRunView current = tasks.show(name).current();
    if (current == null) {
      throw new MillraceException(ErrorCode.CONFLICT, "no run of " + name + " lasts");
    }
    return current.id();
  }
}
