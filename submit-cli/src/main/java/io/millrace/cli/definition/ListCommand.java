package io.millrace.cli.definition;

import io.millrace.api.definition.DefinitionSummary;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Table;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(
    name = "list",
    description = "Lists the definitions in force.",
    footer = {"", "Example:", "  millrace definition list"})
final class ListCommand implements Callable<Integer> {
  private final Invocation invocation;

  ListCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    List<DefinitionSummary> definitions = invocation.central().definitions();
    invocation.answer(definitions, () -> print(definitions));
    return 0;
  }

  private void print(List<DefinitionSummary> definitions) {
    Table table =
        new Table(
            Column.left("KIND"),
            Column.left("NAME"),
            Column.right("VERSION"),
            Column.left("BY"),
            Column.right("AGE"));
    for (DefinitionSummary one : definitions) {
      table.row(
          one.kind(),
          one.name(),
          one.version(),
          one.author(),
          Ages.since(one.appliedAt(), invocation.now()));
    }
    invocation.print(table, "nothing is defined; 'millrace apply -f FILE' defines something");
  }
}
