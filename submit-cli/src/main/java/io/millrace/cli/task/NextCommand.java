package io.millrace.cli.task;

import io.millrace.api.task.SchedulePreview;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import io.millrace.cli.output.Escaping;
import java.time.Instant;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "next",
    description = "Tells when a task runs next.",
    footer = {"", "Example:", "  millrace task next nightly --count 10"})
final class NextCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The task.")
  private String name;

  @Option(
      names = "--count",
      defaultValue = "5",
      description = "So many times (default: ${DEFAULT-VALUE}).")
  private int count;

  NextCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    Refusal.outside("--count", count, 1, 100);
    SchedulePreview preview = invocation.central().tasks().next(name, count);
    invocation.answer(preview, () -> print(preview));
    return 0;
  }

  private void print(SchedulePreview preview) {
    invocation.terminal().note(Escaping.text(preview.description()));
    for (Instant time : preview.next()) {
      invocation.terminal().line(time.toString());
    }
  }
}
