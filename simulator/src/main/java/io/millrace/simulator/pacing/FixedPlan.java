package io.millrace.simulator.pacing;

import java.util.List;

/**
 * The worker runs of one queue with a static configuration sized for its peak: the need of the
 * busiest slot runs in every slot, because the number of instances is not changed by the hour
 * (H-002, H-004).
 *
 * <p>It is the most favourable such configuration: the peak is known in advance, there is no
 * reserve above it, and a run takes exactly a full batch. The published "current system, best case"
 * is the same sum with slots of one second: maximum rate / events per run × duration (H-191 to
 * H-194), for example 50/s / 50 × 12,000 s = 12,000 runs.
 *
 * @param peak events of the busiest slot
 * @param batch events that one run takes at most
 * @param slots number of slots
 */
public record FixedPlan(long peak, int batch, int slots) {
  public FixedPlan {
    if (peak < 0 || batch < 1 || slots < 0) {
      throw new IllegalArgumentException(
          "a plan needs peak and slots of at least 0 and a batch of at least 1, not peak "
              + peak
              + ", slots "
              + slots
              + ", batch "
              + batch);
    }
  }

  /** The plan for a queue with these arrivals in each slot. */
  public static FixedPlan forPeakOf(List<? extends Number> eventsPerSlot, int batch) {
    long peak = eventsPerSlot.stream().mapToLong(Number::longValue).max().orElse(0);
    return new FixedPlan(peak, batch, eventsPerSlot.size());
  }

  /** Runs in each slot, rounded up. */
  public long runsPerSlot() {
    return (peak + batch - 1) / batch;
  }

  /** Runs in all slots. */
  public long runs() {
    return runsPerSlot() * slots;
  }
}
