package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import java.util.List;
import java.util.stream.Collectors;

/** Names moves for people. */
@Pure
final class MoveMessages {
  private static final int NAMED = 6;

  private MoveMessages() {}

  /** The moves of one giver: "180 points of alert to q1, 20 of mail to q2 and 7 more". */
  static String of(List<PlannedMove> moves) {
    String named =
        moves.stream()
            .limit(NAMED)
            .map(
                planned ->
                    planned.move().points()
                        + " points of "
                        + planned.move().queue()
                        + " to "
                        + planned.move().to())
            .collect(Collectors.joining(", "));
    int more = moves.size() - NAMED;
    return more > 0 ? named + " and " + more + " more" : named;
  }
}
