package io.millrace.manager.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.RequestNumber;
import java.time.Instant;

/**
 * Distinguishes a node's new requests from those that were delayed or repeated in transit (ADR 22).
 * A heartbeat is refused first by the condition of {@link NodeDao#renew}, so that it takes one
 * statement. Pure; to be called in the transaction that carries out the request: for registration
 * and deregistration under the locks of {@code node_lock}, {@code node_orders} and the node's row,
 * for orders under that of {@code node_orders}.
 */
public final class RequestSequence {
  private RequestSequence() {}

  /**
   * Refuses an incarnation that lies far in the future: if accepted, it would lock out every later
   * process of the node.
   *
   * @param now the database's clock
   * @throws MillraceException INVALID_REQUEST
   */
  static void requirePlausible(NodeRow node, Instant now) {
    if (node.request().incarnation() > now.plus(RequestNumber.MAX_AHEAD).toEpochMilli()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "node %s (%s) reports that it started at %s, but the database's clock shows %s; correct whichever clock is wrong, delete the file 'incarnation' in the node's data directory, and restart the node"
              .formatted(
                  node.name(), node.id(), Instant.ofEpochMilli(node.request().incarnation()), now));
    }
  }

  /**
   * Whether the request is newer than all accepted ones; false if it repeats the newest of them,
   * which is answered and changes nothing.
   *
   * @throws MillraceException STALE_REQUEST when a newer one was accepted
   */
  public static boolean isNew(NodeRow node, RequestNumber request) {
    requireNotOlder(node, node.request(), request);
    return request.compareTo(node.request()) > 0;
  }

  /**
   * Refuses a request that is older than an accepted one.
   *
   * @throws MillraceException STALE_REQUEST
   */
  public static void requireNotOlder(NodeRow node, RequestNumber taken, RequestNumber request) {
    if (request.compareTo(taken) < 0) {
      throw stale(node, taken, request);
    }
  }

  /** The answer to a request that arrives too late to be carried out. */
  static MillraceException stale(NodeRow node, RequestNumber taken, RequestNumber request) {
    boolean earlierProcess = request.incarnation() < taken.incarnation();
    return new MillraceException(
        ErrorCode.STALE_REQUEST,
        "request %s of node %s (%s) was ignored: a newer request (%s) has already been accepted; %s"
            .formatted(
                request,
                node.name(),
                node.id(),
                taken,
                earlierProcess ? laterStart(taken) : "the node retries automatically"));
  }

  private static String laterStart(RequestNumber taken) {
    return "a process with this node ID started later, at %s; if two nodes use copies of one data directory, stop the older one and, once it has no running jobs or stored events, join it again under another name; if that time has not come yet, a clock was ahead then: see 'Clocks' in docs/operations.md"
        .formatted(Instant.ofEpochMilli(taken.incarnation()));
  }
}
