package io.millrace.manager.weight;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.WeightMove;
import java.util.EnumSet;
import java.util.Set;

/** What a node may ask for, and the words when it may not. Pure. */
final class MoveRules {
  private static final Set<BalancingKind> OF_NODES =
      EnumSet.of(
          BalancingKind.SHED, BalancingKind.SCALE_IN, BalancingKind.DRAIN, BalancingKind.SHORTAGE);

  private MoveRules() {}

  static void check(MoveRequest request) {
    require(request.id() != null, "a request has an id, made by the node that decided");
    require(request.node() != null && !request.node().isBlank(), "a request names its node");
    require(
        OF_NODES.contains(request.kind()),
        "kind is one of " + OF_NODES + ", not " + request.kind());
    require(
        request.moves().isEmpty() == (request.kind() == BalancingKind.SHORTAGE),
        "a shortage has no moves, and every other kind has some");
    request.moves().forEach(move -> check(request.node(), move));
  }

  private static void check(String node, WeightMove move) {
    require(
        move.queue() != null && move.from() != null && move.to() != null,
        "a move names queue, from and to");
    require(move.points() > 0, "a move has at least 1 point, not " + move.points());
    require(
        move.from().equals(node),
        "a node moves only its own weight away: " + node + " can't give that of " + move.from());
    require(!move.from().equals(move.to()), "a move goes to another node than " + node);
  }

  static void checkVersion(WeightMove move, QueueWeights row) {
    if (move.version() != row.version()) {
      throw new MillraceException(
          ErrorCode.STALE_VERSION,
          "the weights of "
              + move.queue()
              + " have version "
              + row.version()
              + " by now, not "
              + move.version()
              + "; decide again on the new ones");
    }
  }

  static MillraceException noRow(String queue) {
    return new MillraceException(
        ErrorCode.CONFLICT, queue + " has no weights yet; it gets its first when a node lives");
  }

  static MillraceException unknown(String node) {
    return new MillraceException(
        ErrorCode.UNKNOWN_NODE,
        "no queue node '" + node + "' is registered; it registers with its next report");
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, rule);
    }
  }
}
