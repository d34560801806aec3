package io.millrace.api.queue;

import io.millrace.api.NodeStatus;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A queue node as shown.
 *
 * @param id its id
 * @param name its name
 * @param address where its API answers; null until it reports after a restoration
 * @param live whether it has reported within its lease
 * @param lost whether it is silent for longer than lease and grace, or withdrawn: its points go to
 *     others
 * @param withdrawn whether its identity was withdrawn: its calls are refused, and nothing is sent
 *     to it or taken from it
 * @param silentSeconds since its last report
 * @param status whether it takes weight
 * @param statusUntil end of its maintenance; null for none
 * @param statusReason why operators asked for that status; null if not stated
 * @param load as last reported
 * @param capacity as balancing counts it, as last reported
 * @param configuredCapacity from its configuration
 * @param shortage why it should shed load and cannot; null otherwise
 * @param segments as last reported
 * @param full why it accepts no events: its disk is nearly full; null if it does
 */
public record QueueNodeView(
    UUID id,
    String name,
    URI address,
    boolean live,
    boolean lost,
    boolean withdrawn,
    double silentSeconds,
    NodeStatus status,
    Instant statusUntil,
    String statusReason,
    NodeLoad load,
    double capacity,
    double configuredCapacity,
    String shortage,
    List<SegmentFigures> segments,
    String full) {
  /** Unfinished events on it, as last reported. */
  public long unfinished() {
    return segments.stream().mapToLong(SegmentFigures::unfinished).sum();
  }
}
