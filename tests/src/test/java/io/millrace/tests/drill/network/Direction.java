package io.millrace.tests.drill.network;

/** One of the two ways over a link. */
public enum Direction {
  /** From the one who connects. */
  TO_SERVER,
  /** From the one who was connected to. */
  TO_CLIENT
}
