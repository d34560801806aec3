package io.millrace.api.queue;

/**
 * What one segment asks of its node, smoothed.
 *
 * @param puts events stored per second
 * @param gets events leased per second
 * @param bytes bytes stored and leased per second
 * @param storeSeconds seconds of the store's writer spent for it per second, 0 to 1
 * @param share its part of all the load of its node, 0 to 1
 */
public record SegmentLoad(
    double puts, double gets, double bytes, double storeSeconds, double share) {
  /** Nothing asked, or not measured yet. */
  public static final SegmentLoad NONE = new SegmentLoad(0, 0, 0, 0, 0);
}
