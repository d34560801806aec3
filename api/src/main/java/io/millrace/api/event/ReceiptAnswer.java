package io.millrace.api.event;

import java.util.List;

/**
 * What became of an acknowledgement, a refusal or an extension.
 *
 * @param done receipts that were good
 * @param stale receipts whose lease had ended: those events were or will be delivered again
 * @param dead events that lie in the dead letters now because of this
 */
public record ReceiptAnswer(int done, List<String> stale, int dead) {}
