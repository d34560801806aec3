package io.millrace.queuenode.load;

/**
 * What one segment has done since its store was made.
 *
 * @param puts events stored
 * @param gets events leased
 * @param bytes bytes stored and leased
 * @param storeNanos time that the store's writer has worked for it
 */
public record SegmentCounters(long puts, long gets, long bytes, long storeNanos) {
  static final SegmentCounters NONE = new SegmentCounters(0, 0, 0, 0);
}
