package io.millrace.cli.simulate;

import io.millrace.api.Durations;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Table;
import io.millrace.simulator.balance.Averages;
import io.millrace.simulator.balance.SimulationSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The results of simulated days as rows. */
final class BalanceTable {
  private static final List<Figure> FIGURES =
      List.of(
          new Figure("CONFIG", "%.0f", result -> (double) result.configuration()),
          new Figure("MOVES", "%.1f", Averages::moves),
          new Figure("SHED", "%.1f", Averages::shedMoves),
          new Figure("SCALE-IN", "%.1f", Averages::scaleInMoves),
          new Figure("POINTS", "%.0f", Averages::points),
          new Figure("PING-PONG", "%.1f", Averages::pingPongs),
          new Figure("OVERLOADS", "%.1f", Averages::overloads),
          new Figure("UNMET", "%.1f", Averages::unresolved),
          new Figure("FIRST-HIT", "%.2f", Averages::firstHits),
          new Figure("ROUNDS", "%.1f", Averages::rounds),
          new Figure("MOST", "%.0f", result -> (double) result.mostRounds()),
          new Figure("CALM-MIN", "%.1f", Averages::calmMinutes),
          new Figure("FLAPS", "%.1f", Averages::flaps),
          new Figure("RETURNS", "%.1f", Averages::returns),
          new Figure("TOOBUSY-MIN", "%.0f", Averages::tooBusyMinutes),
          new Figure("OVER-MIN", "%.0f", Averages::overCapacityMinutes),
          new Figure("BACKLOG", "%.0f", Averages::greatestBacklog),
          new Figure("NODE-H", "%.0f", Averages::nodeHours));

  private BalanceTable() {}

  private record Figure(String title, String pattern, Function<Averages, Double> value) {
    String of(Averages result) {
      return String.format(Locale.ROOT, pattern, value.apply(result));
    }
  }

  static Table table(List<Averages> results) {
    List<Column> columns = new ArrayList<>(List.of(Column.left("POLICY")));
    FIGURES.forEach(figure -> columns.add(Column.right(figure.title())));
    Table table = new Table(columns.toArray(Column[]::new));
    for (Averages result : results) {
      List<Object> row = new ArrayList<>(List.of(result.policy()));
      FIGURES.forEach(figure -> row.add(figure.of(result)));
      table.row(row.toArray());
    }
    return table;
  }

  static List<String> csv(List<Averages> results) {
    List<String> lines = new ArrayList<>();
    lines.add("POLICY," + String.join(",", FIGURES.stream().map(Figure::title).toList()));
    for (Averages result : results) {
      List<String> fields = FIGURES.stream().map(figure -> figure.of(result)).toList();
      lines.add(result.policy() + "," + String.join(",", fields));
    }
    return lines;
  }

  /** What the figures rest on. */
  static String assumptions(SimulationSettings world, Duration interval, int days) {
    return String.format(
        Locale.ROOT,
        "means of %d day(s); nodes of %.0f events/s; measured decides every %s, the random policies"
            + " every %s; a ping-pong is a move back within %s, a flap a node TOOBUSY again within"
            + " %s; FIRST-HIT is the part of overloads whose first attempt moved the segment with"
            + " most events, UNMET those in which no node could take any",
        days,
        world.nodeCapacity(),
        Durations.format(world.tick()),
        Durations.format(interval),
        Durations.format(world.reverseWindow()),
        Durations.format(world.flapWindow()));
  }
}
