package io.millrace.manager.placement;

/** Compiles what shapes require; remembers what it compiled. Thread-safe. */
@FunctionalInterface
public interface NodeTests {
  /** The test of a shape; one that accepts every node when it requires nothing. */
  NodeTest of(Shape shape);
}
