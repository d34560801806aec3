package io.millrace.cli.task;

import io.millrace.api.task.TaskView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "resume",
    description = "Starts a paused task again at its times; those that passed are not caught up.",
    footer = {"", "Example:", "  millrace task resume nightly"})
final class ResumeCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The task.")
  private String name;

  ResumeCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    TaskView task = invocation.central().tasks().resume(name);
    boolean planned = task.schedule() != null && !task.schedule().next().isEmpty();
    String words =
        "task " + name + " goes on" + (planned ? ", next at " + task.schedule().next().get(0) : "");
    invocation.answer(task, () -> invocation.terminal().line(Escaping.text(words)));
    return 0;
  }
}
