package io.millrace.queuenode.store;

import java.util.Optional;

/**
 * The part of a segment that an action in steps still has before it, so that a long one does not
 * keep the writer from its other work and does not touch what arrives meanwhile.
 *
 * @param after sequence numbers up to here are done
 * @param upTo those above are not concerned
 */
public record SegmentSweep(long after, long upTo) {
  /** All that the segment holds when the first step is made. */
  public static final SegmentSweep ALL = new SegmentSweep(0, Long.MAX_VALUE);

  SegmentSweep from(long done) {
    return new SegmentSweep(done, upTo);
  }

  SegmentSweep notAbove(long last) {
    return new SegmentSweep(after, Math.min(upTo, last));
  }

  /**
   * One step of an action on many events.
   *
   * @param events events that it concerned
   * @param rest what is left to do; empty when all is done
   */
  public record SweepStep(int events, Optional<SegmentSweep> rest) {
    static final SweepStep NOTHING = new SweepStep(0, Optional.empty());
  }
}
