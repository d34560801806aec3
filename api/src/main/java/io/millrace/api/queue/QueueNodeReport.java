package io.millrace.api.queue;

import java.net.URI;
import java.util.List;
import java.util.UUID;

/**
 * What a queue node says of itself, every second or two: to the database through a central manager
 * (its lease) and to the cluster view.
 *
 * @param id the node's own id, for life
 * @param name the node's name, unique in the cluster
 * @param address where its API answers
 * @param load its load and state
 * @param capacity relative capability, 1 for an ordinary node
 * @param segments every segment it holds, those without weight included
 */
public record QueueNodeReport(
    UUID id,
    String name,
    URI address,
    NodeLoad load,
    double capacity,
    List<SegmentFigures> segments) {}
