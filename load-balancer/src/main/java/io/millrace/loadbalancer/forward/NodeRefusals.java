package io.millrace.loadbalancer.forward;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;

/** Pure rules about nodes' refusals: which are final, and which of several to tell. */
final class NodeRefusals {
  private NodeRefusals() {}

  /** Whether another node may well take what this one has refused. */
  static boolean mayGoElsewhere(ErrorCode code) {
    return switch (code) {
      case NO_SEGMENT,
          UNAVAILABLE,
          QUEUE_FULL,
          RATE_LIMITED,
          DISK_FULL,
          STORE_FAILURE,
          UNKNOWN_QUEUE,
          UNKNOWN_SEGMENT ->
          true;
      default -> false;
    };
  }

  /**
   * Whether the refusal says that the node does not know the batch's name: it looks the name up
   * before it judges anything else. One that stops, has not begun, or whose store has failed or is
   * too far behind to look cannot tell.
   */
  static boolean provesAbsence(ErrorCode code) {
    return code != ErrorCode.UNAVAILABLE && code != ErrorCode.STORE_FAILURE;
  }

  /** Of two refusals the one that tells the producer more; null for none yet. */
  static MillraceException worse(MillraceException one, MillraceException other) {
    return one == null || rank(other.code()) >= rank(one.code()) ? other : one;
  }

  /**
   * The refusal as the producer should hear it: the queue is defined, though the nodes asked may
   * not have heard of it yet.
   */
  static MillraceException forProducer(String queue, MillraceException refusal) {
    return switch (refusal.code()) {
      case UNKNOWN_QUEUE, UNKNOWN_SEGMENT -> noSegment(queue);
      default -> refusal;
    };
  }

  static MillraceException noSegment(String queue) {
    return new MillraceException(
        ErrorCode.NO_SEGMENT,
        "no queue node takes events of '"
            + queue
            + "' yet; try again in a few seconds, and see 'millrace queue show "
            + queue
            + "'");
  }

  /** First what may have been stored, then what lasts, then what passes by itself. */
  private static int rank(ErrorCode code) {
    return switch (code) {
      case TIMEOUT -> 6;
      case QUEUE_FULL -> 5;
      case RATE_LIMITED -> 4;
      case DISK_FULL -> 3;
      case STORE_FAILURE -> 2;
      case UNAVAILABLE -> 1;
      default -> 0;
    };
  }
}
