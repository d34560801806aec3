package io.millrace.manager.placement;

import io.millrace.api.Pure;
import java.util.List;

/** What a shape requires of a node besides room; compiled once. Pure and thread-safe. */
@Pure
public interface NodeTest {
  /** Any node, none preferred. */
  NodeTest ANY = node -> true;

  /** Whether the node fulfils it; the same for the same facts. */
  boolean accepts(PlacementNode node);

  /** How much the node is preferred, higher first; the same for all when there is no preference. */
  default double rank(PlacementNode node) {
    return 0;
  }

  /** Whether it names nodes or labels, and so asks for nodes that take only jobs that ask. */
  default boolean asks() {
    return false;
  }

  /** Says for people, with figures, why none of these nodes fulfils it. */
  default String mismatch(List<PlacementNode> nodes) {
    return "none of " + nodes.size() + " nodes fulfils what it requires";
  }

  /** Compiles what shapes require; remembers what it compiled. Thread-safe. */
  @Pure
  @FunctionalInterface
  interface NodeTests {
    /** The test of a shape; one that accepts every node when it requires nothing. */
    NodeTest of(Shape shape);
  }
}
