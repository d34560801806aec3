package io.millrace.cli.simulate;

import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import io.millrace.simulator.pacing.KnobSweep.Front;
import io.millrace.simulator.pacing.KnobSweep.SweepOutcome;
import io.millrace.simulator.pacing.PacingResult;
import io.millrace.simulator.pacing.PublishedTable.Comparison;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats results of simulated pacing as tables and CSV. */
final class PacingTables {
  private PacingTables() {}

  /** One run of one policy. */
  record Run(String scenario, PacingResult result) {}

  static Table published(List<Comparison> rows) {
    Table table =
        new Table(
            Column.left("TABLE"),
            Column.right("LIMIT"),
            Column.right("PUBLISHED-RUNS"),
            Column.right("WAITING"),
            Column.right("THRESHOLD-RUNS"),
            Column.right("WAITING"),
            Column.right("DEMAND-RUNS"),
            Column.right("WAITING"),
            Column.right("FLOOR"),
            Column.right("DEMAND/FLOOR"));
    for (Comparison row : rows) {
      table.row(
          row.table(),
          row.upperLimit(),
          row.publishedRuns(),
          row.publishedWaiting(),
          row.thresholdRuns(),
          row.thresholdWaiting(),
          row.demandRuns(),
          row.demandWaiting(),
          row.floorRuns(),
          number("%.3f", (double) row.demandRuns() / row.floorRuns()));
    }
    return table;
  }

  static List<String> publishedCsv(List<Comparison> rows) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "table,upperLimit,publishedRuns,publishedWaiting,thresholdRuns,thresholdWaiting,"
            + "demandRuns,demandWaiting,floorRuns");
    for (Comparison row : rows) {
      lines.add(
          join(
              row.table(),
              row.upperLimit(),
              row.publishedRuns(),
              row.publishedWaiting(),
              row.thresholdRuns(),
              row.thresholdWaiting(),
              row.demandRuns(),
              row.demandWaiting(),
              row.floorRuns()));
    }
    return lines;
  }

  static Table runs(List<Run> runs) {
    Table table =
        new Table(
            Column.left("SCENARIO"),
            Column.left("POLICY"),
            Column.left("PARAMETER"),
            Column.right("EVENTS"),
            Column.right("RUNS"),
            Column.right("RUNS/FLOOR"),
            Column.right("EMPTY"),
            Column.right("FAILED"),
            Column.right("MEAN-WAIT-S"),
            Column.right("LONGEST-S"),
            Column.right("MOST-WAITING"),
            Column.right("MOST-WORKERS"),
            Column.right("LEFT"));
    for (Run run : runs) {
      PacingResult result = run.result();
      table.row(
          run.scenario(),
          result.policy(),
          result.knob() + " " + number("%.4g", result.value()),
          result.events(),
          result.runs(),
          number("%.3f", (double) result.runs() / Math.max(1, result.floorRuns())),
          result.emptyRuns(),
          result.failedRuns(),
          number("%.3f", result.meanWait()),
          number("%.0f", result.longestWait()),
          result.mostWaiting(),
          result.mostOutstanding(),
          result.leftOver());
    }
    return table;
  }

  static List<String> runsCsv(List<Run> runs) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "scenario,policy,knob,value,events,runs,floorRuns,emptyRuns,failedRuns,waiting,meanWait,"
            + "longestWait,mostWaiting,mostOutstanding,leftOver");
    for (Run run : runs) {
      lines.add(line(run.scenario(), run.result()));
    }
    return lines;
  }

  private static String line(String scenario, PacingResult result) {
    return join(
        scenario,
        result.policy(),
        result.knob(),
        number("%.6g", result.value()),
        result.events(),
        result.runs(),
        result.floorRuns(),
        result.emptyRuns(),
        result.failedRuns(),
        result.waiting(),
        number("%.4f", result.meanWait()),
        number("%.0f", result.longestWait()),
        result.mostWaiting(),
        result.mostOutstanding(),
        result.leftOver());
  }

  static Table fronts(List<SweepOutcome> outcomes) {
    Table table =
        new Table(
            Column.left("SCENARIO"),
            Column.left("POLICY"),
            Column.right("POINTS"),
            Column.right("FEWEST-RUNS"),
            Column.right("WAIT-S"),
            Column.right("MOST-RUNS"),
            Column.right("WAIT-S"),
            Column.left("AGAINST DEMAND"));
    for (SweepOutcome outcome : outcomes) {
      Front demand = outcome.fronts().get(0);
      for (Front front : outcome.fronts()) {
        PacingResult fewest = front.points().get(0);
        PacingResult max = front.points().get(front.points().size() - 1);
        table.row(
            outcome.scenario(),
            front.policy(),
            front.points().size(),
            fewest.runs(),
            number("%.3f", fewest.meanWait()),
            max.runs(),
            number("%.3f", max.meanWait()),
            verdict(demand, front, outcome));
      }
    }
    return table;
  }

  private static String verdict(Front demand, Front other, SweepOutcome outcome) {
    if (other.equals(demand)) {
      return outcome.dominated() ? "dominates" : "does not dominate";
    }
    int open = demand.uncovered(other).size();
    if (demand.dominates(other)) {
      return "dominated";
    }
    return demand.matches(other)
        ? "equal"
        : open + " of " + other.points().size() + " points not dominated";
  }

  static List<String> frontsCsv(List<SweepOutcome> outcomes) {
    List<String> lines = new ArrayList<>(runsCsv(List.of()));
    for (SweepOutcome outcome : outcomes) {
      for (Front front : outcome.fronts()) {
        front.points().forEach(point -> lines.add(line(outcome.scenario(), point)));
      }
    }
    return lines;
  }

  private static String number(String pattern, double value) {
    return String.format(Locale.ROOT, pattern, value);
  }

  private static String join(Object... fields) {
    List<String> texts = new ArrayList<>();
    for (Object field : fields) {
      texts.add(field.toString());
    }
    return String.join(",", texts);
  }
}
