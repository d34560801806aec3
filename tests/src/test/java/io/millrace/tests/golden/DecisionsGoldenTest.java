package io.millrace.tests.golden;

import org.junit.jupiter.api.Test;

/** The decisions of the pure rules for fixed inputs and seeds, with their texts. */
class DecisionsGoldenTest {
  @Test
  void decisionsAreAsRecorded() {
    GoldenFiles.of(DecisionsGoldenTest.class, "decisions")
        .add("pacing-demand.txt", new PacingTable("demand").text())
        .add("pacing-threshold.txt", new PacingTable("threshold").text())
        .add("balancing.txt", new BalancingTable().text())
        .add("weights.txt", new WeightTable().text())
        .add("placement.txt", new PlacementTable().text())
        .add("ring.txt", new RingTable().text())
        .add("schedules.txt", new ScheduleTable().text())
        .add("round-robin.txt", new RoundRobinTable().text())
        .verify();
  }
}
