package io.millrace.cli.node;

import io.millrace.api.insight.Overview.Alert;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace problems}. */
@Command(
    name = "problems",
    description = "Lists current problems, the most urgent first.",
    footer = {
      "",
      "Examples:",
      "  millrace problems",
      "  millrace problems --exit-code > /dev/null || page-somebody"
    })
public final class ProblemsCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(names = "--exit-code", description = "Exit with 1 if there are any problems.")
  private boolean exitCode;

  public ProblemsCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    List<Alert> problems = invocation.central().problems();
    invocation.answer(problems, () -> invocation.print(table(problems), "no problems"));
    return exitCode && !problems.isEmpty() ? ExitCode.FAILED.code() : ExitCode.OK.code();
  }

  private static Table table(List<Alert> problems) {
    Table table =
        new Table(Column.left("PROBLEM"), Column.left("SUBJECT", 32), Column.left("DESCRIPTION"));
    for (Alert problem : problems) {
      table.row(Cell.of(problem.code(), Style.BAD), problem.subject(), problem.message());
    }
    return table;
  }
}
