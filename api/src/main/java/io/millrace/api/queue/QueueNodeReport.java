package io.millrace.api.queue;

import java.net.URI;
import java.util.List;
import java.util.UUID;

/**
 * What a queue node says of itself, every second: to the database through a central manager (its
 * lease) and to the cluster view.
 *
 * @param id the node's own id, for life
 * @param name the node's name, unique in the cluster
 * @param address where its API answers
 * @param load its load and state
 * @param capacity relative capability as balancing counts it: the configured one times the measured
 *     speed
 * @param configuredCapacity as its configuration says, 1 for an ordinary node
 * @param segments every segment it holds, those without weight included
 * @param shortage why it would shed load and can't; null when it need not or can
 */
public record QueueNodeReport(
    UUID id,
    String name,
    URI address,
    NodeLoad load,
    double capacity,
    double configuredCapacity,
    List<SegmentFigures> segments,
    String shortage) {
  public QueueNodeReport {
    segments = segments == null ? List.of() : List.copyOf(segments);
  }
}
