package io.millrace.cli.queue;

import io.millrace.api.insight.FigureHistory;
import io.millrace.api.insight.FigureHistory.FigureSample;
import io.millrace.api.insight.FigureHistory.SampledFigure;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import java.time.Duration;
import java.time.Instant;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace queue history}. */
@Command(
    name = "history",
    description = "Shows how the figures of a queue changed over a span of time.",
    footer = {
      "",
      "Examples:",
      "  millrace queue history alert",
      "  millrace queue history alert --since 7d",
      "  millrace queue history alert --from 2026-03-01T00:00:00Z --to 2026-03-01T06:00:00Z --json",
      "",
      "Samples of 5 seconds are kept for a day, those of a minute for 30 days. Longer spans are",
      "shown in longer steps, each with its mean; PEAK and OLDEST are the largest values in it."
    })
final class HistoryCommand implements Runnable {
  private static final Duration USUAL = Duration.ofMinutes(15);

  private final Invocation invocation;

  @Parameters(index = "0", paramLabel = "NAME", description = "Name of the queue.")
  private String queue;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Length of the span up to now, or to --to (default: 15m).")
  private Duration since;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Beginning of the span, instead of --since.")
  private Instant from;

  @Option(names = "--to", paramLabel = "TIME", description = "End of the span (default: now).")
  private Instant to;

  HistoryCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public void run() {
    OptionRefusal.unless(since == null || from == null, "--since", "cannot be used with --from");
    Instant end = to == null ? invocation.now() : to;
    Instant begin = from == null ? end.minus(since == null ? USUAL : since) : from;
    OptionRefusal.unless(
        begin.isBefore(end), from == null ? "--since" : "--from", "must be before the end");
    FigureHistory history = invocation.central().history(queue, begin, to);
    invocation.answer(history, () -> print(history, begin));
  }

  private void print(FigureHistory history, Instant asked) {
    invocation.print(
        table(history), "no samples between %s and %s".formatted(history.from(), history.to()));
    if (!history.samples().isEmpty()) {
      invocation.note(
          "each line is a step of %s; a step without samples is left out"
              .formatted(Ages.age(Duration.ofSeconds(history.stepSeconds()))));
    }
    if (asked.isBefore(history.from())) {
      invocation.note("samples are kept for 30 days: the span begins at " + history.from());
    }
  }

  private static Table table(FigureHistory history) {
    Table table =
        new Table(
            Column.left("AT"),
            Column.right("WAITING"),
            Column.right("PEAK"),
            Column.right("OLDEST"),
            Column.right("IN/S"),
            Column.right("DONE/S"),
            Column.right("STARTS/S"),
            Column.right("WORKERS"),
            Column.left("WEIGHTS"));
    for (FigureSample step : history.samples()) {
      table.row(
          step.at(),
          Figures.count(Math.round(of(step, FigureHistory.WAITING, SampledFigure::mean))),
          Figures.count(Math.round(of(step, FigureHistory.WAITING, SampledFigure::most))),
          Ages.took(of(step, FigureHistory.OLDEST_SECONDS, SampledFigure::most)),
          Figures.rate(of(step, FigureHistory.EVENT_RATE, SampledFigure::mean)),
          Figures.rate(of(step, FigureHistory.DONE_RATE, SampledFigure::mean)),
          Figures.rate(of(step, FigureHistory.WORKER_RATE, SampledFigure::mean)),
          Figures.rate(of(step, FigureHistory.WORKERS_RUNNING, SampledFigure::mean)),
          QueueTables.weights(step.weights()));
    }
    return table;
  }

  private static double of(FigureSample step, String name, ToDoubleFunction<SampledFigure> value) {
    SampledFigure figure = step.figures().get(name);
    return figure == null ? 0 : value.applyAsDouble(figure);
  }
}
