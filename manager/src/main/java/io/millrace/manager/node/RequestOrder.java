package io.millrace.manager.node;

import io.millrace.api.node.RequestNumber;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.manager.node.store.NodeRow;

/**
 * Tells a node's new requests from those that were delayed or repeated on their way (ADR 22). Pure;
 * to be asked about a locked row, in the transaction that carries the request out.
 */
public final class RequestOrder {
  private RequestOrder() {}

  /**
   * Whether the request is newer than all that were taken; false when it is the newest of them once
   * more, which is answered and changes nothing.
   *
   * @throws MillraceException STALE_REQUEST when a newer one was taken
   */
  public static boolean isNew(NodeRow node, RequestNumber request) {
    int order = request.compareTo(node.request());
    if (order < 0) {
      throw stale(node, request);
    }
    return order > 0;
  }

  /** The answer to a request that comes too late to be carried out. */
  static MillraceException stale(NodeRow node, RequestNumber request) {
    boolean earlierProcess = request.incarnation() < node.request().incarnation();
    return new MillraceException(
        ErrorCode.STALE_REQUEST,
        "request %s of node %s (%s) changes nothing, because %s was taken before; %s"
            .formatted(
                request,
                node.name(),
                node.id(),
                node.request(),
                earlierProcess
                    ? "a later process of this node has registered: if two run on copies of one"
                        + " data directory, stop one and delete node-id in its copy"
                    : "the node sends a new one by itself"));
  }
}
