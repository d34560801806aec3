package io.millrace.cli.task;

import io.millrace.api.task.TaskPause;
import io.millrace.api.task.TaskView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "pause",
    description = "Starts a task no more until it is resumed; a run that lasts goes on.",
    footer = {
      "",
      "Examples:",
      "  millrace task pause nightly --reason 'the archive moves'",
      "  millrace task pause nightly --for 2h"
    })
final class PauseCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The task.")
  private String name;

  @Option(names = "--for", paramLabel = "TIME", description = "Resumes by itself after that.")
  private Duration duration;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for others to read.")
  private String reason;

  PauseCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    TaskView task = invocation.central().tasks().pause(name, new TaskPause(reason, duration));
    String words = "task " + name + ": " + RunFormatter.pause(task);
    invocation.answer(task, () -> invocation.terminal().line(Escaping.text(words)));
    return 0;
  }
}
