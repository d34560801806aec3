package io.millrace.api.node;

import java.time.Duration;

/**
 * Why, and for how long, a node is drained or in maintenance.
 *
 * @param duration of a maintenance; null for draining
 * @param reason human-readable; null for none
 */
public record NodeCommand(Duration duration, String reason) {}
