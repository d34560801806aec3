package io.millrace.simulator.pacing;

/**
 * Arrivals by time of day on earlier days (H-085, H-240): the mean rate of each ten minutes, in
 * which a day counts for less with each later one. Used by one thread.
 */
final class EarlierDays {
  private static final double SLOT_SECONDS = 600;
  private static final int SLOTS = 144;
  private static final double SHARE_OF_LAST_DAY = 0.3;

  private final double[] rates = new double[SLOTS];
  private final boolean[] known = new boolean[SLOTS];
  private long slot;
  private long insertedBefore;

  /** Learns from the counter of events; called in the order of time. */
  void observe(double second, long inserted) {
    if ((slot + 1) * SLOT_SECONDS > second) {
      return;
    }
    long now = (long) (second / SLOT_SECONDS);
    double rate = (inserted - insertedBefore) / ((now - slot) * SLOT_SECONDS);
    for (; slot < now; slot++) {
      int at = (int) (slot % SLOTS);
      rates[at] = known[at] ? rates[at] + SHARE_OF_LAST_DAY * (rate - rates[at]) : rate;
      known[at] = true;
    }
    insertedBefore = inserted;
  }

  /** By how many events per second the rate changed between these times of day; 0 if unknown. */
  double change(double from, double until) {
    double before = rate(from);
    double after = rate(until);
    return before < 0 || after < 0 ? 0 : after - before;
  }

  /** The rate at a time of day, between the middles of two slots; negative if unknown. */
  private double rate(double second) {
    double place = second / SLOT_SECONDS - 0.5;
    long first = (long) Math.floor(place);
    int before = Math.floorMod(first, SLOTS);
    int after = Math.floorMod(first + 1, SLOTS);
    double share = place - first;
    return known[before] && known[after] ? rates[before] * (1 - share) + rates[after] * share : -1;
  }
}
