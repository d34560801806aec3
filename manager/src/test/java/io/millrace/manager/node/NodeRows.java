package io.millrace.manager.node;

import io.millrace.manager.node.NodeOrderDao.NodeOrder;

/** Rows of nodes as tests want them. */
final class NodeRows {
  private NodeRows() {}

  static NodeRow with(NodeRow node, NodeOrder order) {
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
        order,
        node.retiredAt(),
        node.request());
  }
}
