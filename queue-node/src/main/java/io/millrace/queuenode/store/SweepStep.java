package io.millrace.queuenode.store;

import java.util.Optional;

/**
 * One step of an action on many events.
 *
 * @param events events that it concerned
 * @param rest what is left to do; empty when all is done
 */
public record SweepStep(int events, Optional<SegmentSweep> rest) {
  static final SweepStep NOTHING = new SweepStep(0, Optional.empty());
}
