package io.millrace.api.event;

import java.time.Duration;

/**
 * Asks for events to work on.
 *
 * @param max at most so many events, 1 to 10,000
 * @param lease how long they stay with the caller; null for the queue's own
 * @param patience how long to wait for a first event; null or zero for not at all, at most 20 s
 * @param worker who takes them, for people; null if unknown
 */
public record LeaseRequest(int max, Duration lease, Duration patience, String worker) {}
