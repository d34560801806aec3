package io.millrace.queuenode.store;

import java.util.List;

/**
 * What became of receipts.
 *
 * @param done receipts that were good
 * @param stale receipts whose lease had ended
 * @param dead events given up because of this
 * @param ready events that may be leased again at once
 */
public record ReceiptOutcome(int done, List<Receipt> stale, int dead, int ready) {}
