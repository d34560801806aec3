package io.millrace.cli.task;

import io.millrace.api.task.TaskRunView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "history",
    description = "Lists a task's runs, newest first, those missed or skipped included.",
    footer = {"", "Example:", "  millrace task history nightly --limit 50"})
final class HistoryCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The task.")
  private String name;

  @Option(
      names = "--limit",
      defaultValue = "20",
      description = "At most so many (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Option(names = "--before", paramLabel = "RUN", description = "Only runs before this one.")
  private Long before;

  HistoryCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    Refusal.outside("--limit", limit, 1, 1000);
    List<TaskRunView> runs = invocation.central().tasks().runs(name, before, limit);
    invocation.answer(
        runs,
        () ->
            invocation.print(
                RunTable.of(runs, invocation.now()),
                "no runs yet; 'millrace task run " + name + "' starts one"));
    return 0;
  }
}
