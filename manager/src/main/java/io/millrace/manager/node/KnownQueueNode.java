package io.millrace.manager.node;

import io.millrace.api.Json;
import io.millrace.api.node.NodeStatus;
import io.millrace.api.queue.QueueNodeReport;
import java.net.URI;
import java.time.Instant;
import java.util.UUID;

/**
 * A queue node as the central store knows it, at one moment of the database's clock.
 *
 * @param id its own id, for life
 * @param name unique in the cluster
 * @param address where its API answers
 * @param condition how long it has been silent
 * @param requested status that operators ask for; a maintenance that is over does not count
 * @param requestedUntil end of its maintenance; null for none
 * @param requestedReason why operators ask for it; null if not stated
 * @param silentSeconds since its last report
 * @param reported what it said last, as JSON; null when it never said anything
 */
public record KnownQueueNode(
    UUID id,
    String name,
    URI address,
    QueueNodeCondition condition,
    NodeStatus requested,
    Instant requestedUntil,
    String requestedReason,
    double silentSeconds,
    String reported) {
  /** Whether it may get points: it lives, and operators want nothing else of it. */
  public boolean takesWeight() {
    return condition == QueueNodeCondition.LIVE && requested == NodeStatus.ACTIVE;
  }

  /** What it said last, read anew at each call; null when it never said anything. */
  public QueueNodeReport report() {
    return reported == null ? null : Json.read(reported, QueueNodeReport.class);
  }

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
}
