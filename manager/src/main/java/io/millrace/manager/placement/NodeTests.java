package io.millrace.manager.placement;

import io.millrace.api.Pure;

/** Compiles what shapes require; remembers what it compiled. Thread-safe. */
@Pure
@FunctionalInterface
public interface NodeTests {
  /** The test of a shape; one that accepts every node when it requires nothing. */
  NodeTest of(Shape shape);
}
