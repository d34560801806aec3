package io.millrace.api.overview;

import io.millrace.api.queue.NodeLoad;
import io.millrace.api.queue.SegmentFigures;
import java.net.URI;
import java.util.List;
import java.util.UUID;

/**
 * A queue node as shown.
 *
 * @param id its own id
 * @param name its name
 * @param address where its API answers
 * @param live heard of within its lease
 * @param silentSeconds since its last report
 * @param load as last reported
 * @param capacity as last reported
 * @param segments as last reported
 */
public record QueueNodeView(
    UUID id,
    String name,
    URI address,
    boolean live,
    double silentSeconds,
    NodeLoad load,
    double capacity,
    List<SegmentFigures> segments) {}
