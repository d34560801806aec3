package io.millrace.cli.node;

import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Formats balancing decisions as a table. */
public final class DecisionTable {
  private static final int MAX_MOVES = 3;

  private DecisionTable() {}

  /** Prints decisions as a table or as JSON. */
  public static void print(Invocation invocation, List<BalancingDecisionView> decisions) {
    invocation.answer(
        decisions, () -> invocation.print(of(decisions, invocation.now()), "no decisions yet"));
  }

  static Table of(List<BalancingDecisionView> decisions, Instant now) {
    Table table =
        new Table(
            Column.right("AGO"),
            Column.left("BY", 24),
            Column.left("KIND"),
            Column.left("POLICY"),
            Column.left("MOVED", 80),
            Column.left("REASON"));
    for (BalancingDecisionView decision : decisions) {
      table.row(
          Ages.since(decision.at(), now),
          decision.node(),
          decision.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'),
          decision.policy(),
          moves(decision.moves()),
          decision.reason());
    }
    return table;
  }

  /** {@code 180 of alert q3>q1}; a dash for none, the number of those beyond three. */
  private static String moves(List<WeightMove> moves) {
    if (moves == null || moves.isEmpty()) {
      return "-";
    }
    String text =
        moves.stream().limit(MAX_MOVES).map(DecisionTable::move).collect(Collectors.joining(", "));
    int rest = moves.size() - MAX_MOVES;
    return rest > 0 ? text + " and " + rest + " more" : text;
  }

  private static String move(WeightMove move) {
    String from = move.from() == null ? "" : move.from();
    return move.points() + " of " + move.queue() + " " + from + ">" + move.to();
  }
}
