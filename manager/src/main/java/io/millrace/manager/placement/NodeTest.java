package io.millrace.manager.placement;

import io.millrace.api.MessageText;
import io.millrace.api.Pure;
import java.util.List;

/** What a shape requires of a node besides free capacity; compiled once. Pure, thread-safe. */
@Pure
public interface NodeTest {
  /** Accepts any node and prefers none. */
  NodeTest ANY = node -> true;

  /** Whether the node matches; always the same for the same facts. */
  boolean accepts(PlacementNode node);

  /** How much the node is preferred, highest first; equal for all without a preference. */
  default double rank(PlacementNode node) {
    return 0;
  }

  /** Whether it names nodes or labels, and so requests nodes that only take such jobs. */
  default boolean namesNodes() {
    return false;
  }

  /** A human-readable explanation of why none of these nodes matches. */
  default String mismatch(List<PlacementNode> nodes) {
    return "none of %s matches its requirement"
        .formatted(MessageText.counted(nodes.size(), "node"));
  }

  /** Compiles the requirements of shapes, and caches the results. Thread-safe. */
  @Pure
  @FunctionalInterface
  interface NodeTests {
    /** The test of a shape; one that accepts every node when it requires nothing. */
    NodeTest of(Shape shape);
  }
}
