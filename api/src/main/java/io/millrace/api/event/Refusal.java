package io.millrace.api.event;

import java.time.Duration;
import java.util.List;

/**
 * Gives events back (negative acknowledgement).
 *
 * @param receipts at most 10,000
 * @param kind whose fault it was
 * @param delay not delivered again before; null for at once
 * @param reason for the dead letter, at most 2,000 characters kept; null if unknown
 */
public record Refusal(List<String> receipts, RefusalKind kind, Duration delay, String reason) {}
