package io.millrace.manager.queue;

import java.util.List;

/**
 * Events found on the segments of a queue.
 *
 * @param events in the order shown
 * @param unreached queue nodes that hold a segment and did not answer
 * @param next where the next page begins; null when there is no next one
 */
public record Found<T>(List<T> events, List<String> unreached, String next) {}
