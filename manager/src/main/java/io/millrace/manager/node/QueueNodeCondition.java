package io.millrace.manager.node;

/**
 * How long a queue node has been silent, by the database's clock. Any report makes it live again.
 *
 * <pre>
 *   LIVE --lease over--&gt; SILENT --grace over, not in maintenance, no outage--&gt; LOST
 * </pre>
 */
public enum QueueNodeCondition {
  /** Heard of within its lease. */
  LIVE,
  /** Its lease is over; it keeps its points and may come back any moment. */
  SILENT,
  /** Its grace is over too: its points go to the living (H-071). */
  LOST
}
