package io.millrace.tests.drill.network;

/** A direction of a link. */
public enum Direction {
  /** From the client to the server. */
  TO_SERVER,
  /** From the server to the client. */
  TO_CLIENT
}
