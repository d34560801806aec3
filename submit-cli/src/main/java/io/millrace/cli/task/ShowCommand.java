package io.millrace.cli.task;

import io.millrace.api.task.TaskView;
import io.millrace.cli.definition.TaskFormatter;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Cell;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Style;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "show",
    description =
        "Shows a task: what it runs, its schedule in words, the next times, its last runs.",
    footer = {"", "Example:", "  millrace task show nightly"})
final class ShowCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The task.")
  private String name;

  ShowCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    TaskView task = invocation.central().tasks().show(name);
    invocation.answer(task, () -> invocation.terminal().lines(sheet(task)));
    return 0;
  }

  private List<String> sheet(TaskView task) {
    FieldList sheet = new FieldList(invocation.palette());
    sheet.title("task " + task.definition().name() + ", version " + task.version());
    sheet.value("about", task.definition().description());
    String pause = RunFormatter.pause(task);
    sheet.value("paused", pause == null ? null : Cell.of(pause, Style.WARNING));
    TaskFormatter.of(task.definition(), task.schedule()).forEach(sheet::value);
    if (task.schedule() != null && !task.schedule().next().isEmpty()) {
      sheet.value(
          "next",
          task.schedule().next().stream().map(Object::toString).collect(Collectors.joining(", ")));
    }
    sheet.table(
        "Runs",
        RunTable.of(
            Stream.of(task.current(), task.last()).filter(run -> run != null).toList(),
            invocation.now()));
    return sheet.lines();
  }
}
