package io.millrace.api.event;

import java.time.Duration;
import java.util.List;

/**
 * Keeps leased events for longer.
 *
 * @param receipts at most 10,000
 * @param lease from now on
 */
public record Extension(List<String> receipts, Duration lease) {}
