package io.millrace.api.event;

import java.util.List;

/**
 * Tells that the events of these receipts are done.
 *
 * @param receipts at most 10,000
 */
public record Acknowledgement(List<String> receipts) {}
