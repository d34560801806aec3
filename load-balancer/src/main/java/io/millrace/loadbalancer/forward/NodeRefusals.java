package io.millrace.loadbalancer.forward;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;

/** Pure rules about nodes' refusals: which are final, and which of several is reported. */
final class NodeRefusals {
  private NodeRefusals() {}

  /**
   * Whether the refusal is about this load balancer and not about the batch, whose producer has
   * been admitted already: another server answers at the node's address, or the node does not know
   * this load balancer. It says nothing about what the node has stored.
   */
  static boolean isOfLoadBalancer(ErrorCode code) {
    return code == ErrorCode.UNAUTHENTICATED || code == ErrorCode.FORBIDDEN;
  }

  /** Whether another node may accept what this one has refused. */
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
   * Whether the refusal implies that the node does not know the batch's name: it looks the name up
   * before any other check. A node that is stopping or starting, or whose store has failed or is
   * too far behind, cannot tell.
   */
  static boolean provesAbsence(ErrorCode code) {
    return code != ErrorCode.UNAVAILABLE && code != ErrorCode.STORE_FAILURE;
  }

  /** The more specific of two refusals; null for none so far. */
  static MillraceException worse(MillraceException one, MillraceException other) {
    return one == null || rank(other.code()) >= rank(one.code()) ? other : one;
  }

  /**
   * The refusal as reported to the producer: the queue is defined, although the nodes may not know
   * it yet.
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
        "no queue node accepts events of '"
            + queue
            + "' yet; try again in a few seconds, and see 'millrace queue show "
            + queue
            + "'");
  }

  /** First what may have been stored, then lasting conditions, then temporary ones. */
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
