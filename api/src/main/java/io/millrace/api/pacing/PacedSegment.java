package io.millrace.api.pacing;

/**
 * A segment whose queue manager asks.
 *
 * @param queue the queue
 * @param node the queue node's name
 */
public record PacedSegment(String queue, String node) {
  /** Stands in the place of the queue node for a queue whose events lie outside of Millrace. */
  public static final String EXTERNAL = "external";
}
