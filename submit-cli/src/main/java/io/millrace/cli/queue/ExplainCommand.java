package io.millrace.cli.queue;

import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.pacing.PacingExplanation;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Cell;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Style;
import io.millrace.cli.output.Table;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "explain",
    description = "Tells why a queue has as many workers as it has, and the decisions behind it.",
    footer = {
      "",
      "Examples:",
      "  millrace queue explain alert",
      "  millrace queue explain alert --node q1 --since 10m --limit 50",
      "",
      "Decisions are kept for 30 days; GET /v1/queues/NAME/decisions/export writes them all."
    })
final class ExplainCommand implements Callable<Integer> {
  private static final int MOST = 1_000;
  private static final String UNLIMITED = "NONE";

  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue.")
  private String queue;

  @Option(names = "--node", paramLabel = "NAME", description = "Only the segment of a queue node.")
  private String node;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      defaultValue = "1h",
      description = "How far back (default: ${DEFAULT-VALUE}).")
  private Duration since;

  @Option(
      names = "--limit",
      defaultValue = "20",
      description = "At most so many decisions (default: ${DEFAULT-VALUE}).")
  private int limit;

  ExplainCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    Refusal.outside("--limit", limit, 0, MOST);
    PacingExplanation explanation = invocation.central().explain(queue, node, since, limit);
    invocation.answer(explanation, () -> print(explanation));
    return 0;
  }

  private void print(PacingExplanation explanation) {
    invocation.terminal().lines(explanation.words().stream().map(Escaping::text).toList());
    if (!explanation.decisions().isEmpty()) {
      invocation.terminal().line("");
      invocation.print(table(explanation), "");
    }
  }

  private static Table table(PacingExplanation explanation) {
    Table table =
        new Table(
            Column.right("AGO"),
            Column.left("NODE", 20),
            Column.right("START"),
            Column.right("WANTED"),
            Column.right("WAITING"),
            Column.right("ARRIVALS/S"),
            Column.right("STARTING"),
            Column.right("RUNNING"),
            Column.left("GATE", 22),
            Column.left("REASON", 200));
    for (PacingDecisionView decision : explanation.decisions()) {
      table.row(
          Ages.since(decision.at(), explanation.at()),
          decision.node(),
          decision.start(),
          figure(decision, "wanted"),
          figure(decision, "waiting"),
          figure(decision, "arrivalRate"),
          figure(decision, "starting"),
          figure(decision, "running"),
          decision.gate().equals(UNLIMITED) ? "-" : Cell.of(decision.gate(), Style.WARNING),
          decision.reason());
    }
    return table;
  }

  private static String figure(PacingDecisionView decision, String name) {
    Map<String, Double> inputs = decision.inputs() == null ? Map.of() : decision.inputs();
    Double value = inputs.get(name);
    if (value == null) {
      return "-";
    }
    return value == Math.rint(value) ? Figures.count(value.longValue()) : Figures.rate(value);
  }
}
