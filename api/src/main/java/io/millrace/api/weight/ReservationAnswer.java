package io.millrace.api.weight;

/**
 * Whether the room is kept.
 *
 * @param granted whether it is
 * @param reason why not; null when it is
 */
public record ReservationAnswer(boolean granted, String reason) {}
