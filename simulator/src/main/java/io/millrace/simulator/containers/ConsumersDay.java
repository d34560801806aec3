package io.millrace.simulator.containers;

import java.util.List;

/** A day under an arrangement of perpetual consumers. Used by one thread, once. */
final class ConsumersDay {
  private final Arrangement arrangement;
  private final ConsumerCluster cluster;
  private final CapacityTrack track;

  ConsumersDay(CapacityDay day, Arrangement arrangement, long seed) {
    this.arrangement = arrangement;
    this.cluster = new ConsumerCluster(day, seed);
    this.track = new CapacityTrack(day);
  }

  CapacityResult run() {
    arrangement.begin(cluster);
    for (int second = 0; second < CapacityDay.SECONDS; second++) {
      arrangement.decide(cluster, second);
      cluster.pass(second);
      track.note(second, cluster.held(), cluster.waiting(0), waiting(), cluster.oldest(second));
    }
    return track.result(
        arrangement.name(), cluster.waits(), cluster.moves(), cluster.starts(), waiting());
  }

  private long waiting() {
    long waiting = 0;
    for (int type = 0; type < cluster.types().size(); type++) {
      waiting += cluster.waiting(type);
    }
    return waiting;
  }

  List<CapacitySample> samples() {
    return track.samples();
  }
}
