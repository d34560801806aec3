package io.millrace.cli.bench;

import java.nio.file.Path;

/**
 * The queue nodes of a benchmark.
 *
 * @param nodes how many
 * @param payload bytes of data of each event
 * @param durability as in a node's configuration
 * @param heap of each node, as Java takes it
 * @param folder where the stores lie; null for a temporary one
 */
record NodeShape(int nodes, int payload, String durability, String heap, Path folder) {
  NodeShape(int nodes, NodeOptions options) {
    this(nodes, options.payload(), options.durability(), options.heap(), options.folder());
  }
}
