package io.millrace.loadbalancer.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.membership.ClusterView;
import io.millrace.platform.membership.LocalClusterView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReturnWatchTest {
  private final ManualClock clock = new ManualClock(Instant.EPOCH);
  private final LocalClusterView view = new LocalClusterView(clock);
  private final List<String> returned = new ArrayList<>();
  private final ReturnWatch watch = new ReturnWatch("lb1", view, returned::add);

  @Test
  void nodeThatWasSilentAndIsHeardAgainReturnsOnce() {
    view.publish(ClusterView.QUEUE_NODES, "q1", "{}");
    watch.check();
    clock.advance(ClusterView.STALE_AFTER);
    watch.check();
    returned.clear();

    view.publish(ClusterView.QUEUE_NODES, "q1", "{}");
    watch.check();
    watch.check();

    assertThat(returned).containsExactly("q1");
  }

  @Test
  void nodeThatIsHeardAllAlongNeverReturns() {
    for (int i = 0; i < 10; i++) {
      view.publish(ClusterView.QUEUE_NODES, "q1", "{}");
      watch.check();
    }
    assertThat(returned).as("the first time it was heard").hasSize(1);
  }
}
