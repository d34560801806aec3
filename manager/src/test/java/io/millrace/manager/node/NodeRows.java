package io.millrace.manager.node;

import io.millrace.manager.node.RequestedStatusDao.RequestedStatus;

/** Rows of nodes as tests want them. */
final class NodeRows {
  private NodeRows() {}

  static NodeRow with(NodeRow node, RequestedStatus requested) {
    return new NodeRow(
        node.id(),
        node.name(),
        node.kind(),
        node.address(),
        node.lost(),
        node.heardAt(),
        node.leaseUntil(),
        node.report(),
        node.capacity(),
        node.accepting(),
        node.pools(),
        node.attributes(),
        node.version(),
        node.clockOffsetMillis(),
        requested,
        node.retiredAt(),
        node.request());
  }
}
