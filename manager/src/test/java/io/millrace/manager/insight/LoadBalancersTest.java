package io.millrace.manager.insight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.BalancerReport;
import io.millrace.api.node.RequestNumber;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.node.NodeRegistry.RegisteredNode;
import java.net.URI;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoadBalancersTest {
  private static final UUID ID = new UUID(0, 7);

  private final JobBench bench = new JobBench(Heartbeat.defaults());
  private final LoadBalancers balancers = new LoadBalancers(bench.registry);

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void aBalancerThatWasStoppedIsNeitherLiveNorLost() {
    report(1);
    assertThat(balancers.live()).hasSize(1);
    balancers.leave(ID, number(2));
    assertThat(balancers.live()).isEmpty();
    assertThat(balancers.lost()).isEmpty();

    // One that was on its way when it stopped.
    assertThatThrownBy(() -> report(1))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_REQUEST));
    balancers.leave(ID, number(2));
    assertThat(balancers.lost()).isEmpty();

    report(3);
    assertThat(balancers.live()).as("started again").hasSize(1);
  }

  @Test
  void aBalancerThatIsSilentIsLost() {
    report(1);
    bench.deregister(ID);
    assertThat(balancers.lost()).extracting(RegisteredNode::name).containsExactly("lb1");
  }

  @Test
  void onlyABalancerThatHasReportedCanLeave() {
    assertThatThrownBy(() -> balancers.leave(ID, number(1)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_NODE));
  }

  private void report(int number) {
    balancers.accept(
        new BalancerReport(ID, "lb1", URI.create("http://127.0.0.1:1"), 0, 0), number(number));
  }

  private static RequestNumber number(int sequence) {
    return new RequestNumber(1, sequence);
  }
}
