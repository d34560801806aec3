package io.millrace.manager.node;

import io.millrace.api.Json;
import io.millrace.api.NodeStatus;
import io.millrace.api.queue.QueueNodeReport;
import java.net.URI;
import java.time.Instant;
import java.util.UUID;

/**
 * A queue node as recorded in the database, at one moment of the database's clock.
 *
 * @param id its permanent id
 * @param name unique in the cluster
 * @param address where its API answers
 * @param condition how long it has been silent
 * @param withdrawn whether its identity was withdrawn: it is lost from then on
 * @param requested status that operators ask for; maintenance that has ended does not count
 * @param requestedUntil end of its maintenance; null for none
 * @param requestedReason why operators ask for it; null if not stated
 * @param silentSeconds since its last report
 * @param reported its last report, as JSON; null if it never reported
 */
public record KnownQueueNode(
    UUID id,
    String name,
    URI address,
    QueueNodeCondition condition,
    boolean withdrawn,
    NodeStatus requested,
    Instant requestedUntil,
    String requestedReason,
    double silentSeconds,
    String reported) {
  /** Whether it may get points: it is live and not drained or in maintenance. */
  public boolean takesWeight() {
    return condition == QueueNodeCondition.LIVE && requested == NodeStatus.ACTIVE;
  }

  /** Its last report, parsed at each call; null if it never reported. */
  public QueueNodeReport report() {
    return reported == null ? null : Json.read(reported, QueueNodeReport.class);
  }

  /**
   * How long a queue node has been silent, by the database's clock. Any report makes it live again.
   *
   * <pre>
   *   LIVE --lease over--&gt; SILENT --grace over, not in maintenance, no outage--&gt; LOST
   *   any --identity withdrawn--&gt; LOST, for ever
   * </pre>
   */
  public enum QueueNodeCondition {
    /** It has reported within its lease. */
    LIVE,
    /** Its lease has expired; it keeps its points and may return at any time. */
    SILENT,
    /** Its grace period has ended, too: its points move to live nodes (H-071). */
    LOST
  }
}
