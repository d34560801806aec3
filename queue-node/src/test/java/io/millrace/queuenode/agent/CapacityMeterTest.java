package io.millrace.queuenode.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.api.Json;
import io.millrace.api.queue.NodeState;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.membership.ClusterView;
import io.millrace.platform.membership.LocalClusterView;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class CapacityMeterTest {
  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
  private final LocalClusterView view = new LocalClusterView(clock);
  private final CapacityMeter meter = new CapacityMeter("q3", 2, view, clock);

  @Test
  void aNodeOnWhichTheSameEventsCostFourTimesAsMuchIsAQuarterAsCapable() {
    assertThat(meter.capacity()).isEqualTo(2);
    for (int second = 0; second < 600; second++) {
      publish("q1", 0.15);
      publish("q2", 0.15);
      publish("q3", 0.60);
      clock.advance(Duration.ofSeconds(1));
      meter.sample();
    }
    assertThat(meter.capacity()).isEqualTo(0.5, within(0.02));
  }

  @Test
  void withoutNeighboursTheConfiguredCapacityApplies() {
    for (int second = 0; second < 600; second++) {
      publish("q3", 0.60);
      clock.advance(Duration.ofSeconds(1));
      meter.sample();
    }
    assertThat(meter.capacity()).isEqualTo(2, within(0.01));
  }

  /** The same events of the same queue everywhere, on nodes that are configured alike. */
  private void publish(String node, double load) {
    view.publish(
        ClusterView.QUEUE_NODES,
        node,
        Json.write(
            Reports.report(
                node, NodeState.NORMAL, load, 2, Reports.segment(node, "alert", 333, 1))));
  }
}
