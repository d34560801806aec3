package io.millrace.cli.task;

import io.millrace.api.client.CentralClient;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Listing;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Cell;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Style;
import io.millrace.cli.output.Table;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;

@Command(
    name = "list",
    description = "Lists the tasks with when they run, and how the last run ended.",
    footer = {"", "Example:", "  millrace task list"})
final class ListCommand extends Listing<List<TaskView>> {
  private final Invocation invocation;

  ListCommand(Invocation invocation) {
    super(invocation, "no tasks; define some with 'millrace apply -f FILE'");
    this.invocation = invocation;
  }

  @Override
  protected List<TaskView> read(CentralClient central) {
    return central.tasks().list();
  }

  @Override
  protected Table table(List<TaskView> tasks) {
    Instant now = invocation.now();
    Table table =
        new Table(
            Column.left("NAME", 40),
            Column.left("STATE"),
            Column.left("SCHEDULE", 44),
            Column.right("NEXT IN"),
            Column.left("LAST"),
            Column.right("AGO"),
            Column.right("TOOK"));
    for (TaskView task : tasks) {
      TaskRunView last = task.last();
      table.row(
          task.definition().name(),
          state(task),
          task.schedule() == null ? "by hand" : task.schedule().description(),
          next(task, now),
          last == null ? Cell.of("-") : RunFormatter.state(last.state()),
          last == null ? "-" : Ages.since(last.endedAt(), now),
          last == null ? "-" : Ages.between(last.startedAt(), last.endedAt()));
    }
    return table;
  }

  private static Cell state(TaskView task) {
    if (task.paused()) {
      return Cell.of("paused", Style.WARNING);
    }
    return task.current() == null
        ? Cell.of("idle", Style.FAINT)
        : RunFormatter.state(task.current().state());
  }

  private static String next(TaskView task, Instant now) {
    boolean none = task.paused() || task.schedule() == null || task.schedule().next().isEmpty();
    return none ? "-" : Ages.between(now, task.schedule().next().get(0));
  }
}
