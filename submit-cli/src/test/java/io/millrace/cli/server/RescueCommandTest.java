package io.millrace.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.node.BalancerReport.BalancerAddress;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.store.LogSegmentStore;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.PutOrder;
import io.millrace.queuenode.store.SegmentStore;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RescueCommandTest {
  @TempDir Path data;

  private final FakeCluster cluster =
      new FakeCluster()
          .answering(
              "GET /v1/load-balancers",
              List.of(new BalancerAddress("b1", URI.create("http://127.0.0.1:7701"))))
          .answering("POST /v1/queues/alert/events", new SendAnswer("alert", "b", 3, false, "q1"));
  private final CommandRun run = new CommandRun(cluster);

  @BeforeEach
  void fillTheDeadStore() {
    List<NewEvent> events =
        IntStream.range(0, 3)
            .mapToObj(i -> new NewEvent("e" + i, ("" + i).getBytes(StandardCharsets.UTF_8), null))
            .toList();
    try (SegmentStore store =
        LogSegmentStore.open(data.resolve("store"), new ManualClock(CommandRun.NOW))) {
      store.put(new PutOrder("alert", "b", events, 10));
      store.commit();
      store.force();
    }
  }

  @Test
  void eventsGoThroughTheLoadBalancerOfTheCluster() {
    assertThat(run.run("queue-node", "rescue", "--data", data.toString())).isZero();
    assertThat(cluster.last().uri().getAuthority()).isEqualTo("127.0.0.1:7701");
    String body = new String(cluster.last().body(), StandardCharsets.UTF_8);
    assertThat(body.lines())
        .containsExactly(
            "{\"id\":\"e0\",\"data\":0}",
            "{\"id\":\"e1\",\"data\":1}",
            "{\"id\":\"e2\",\"data\":2}");
    assertThat(run.output())
        .isEqualTo(
            """
            QUEUE  EVENTS  SENT  LEFT  DEAD  PROBLEM
            alert       3     3     0     0  -
            """);
    assertThat(run.messages()).contains("alert: 3 of 3 events sent");
  }

  @Test
  void aDryRunShowsTheContentAndSendsNothing() {
    assertThat(run.run("queue-node", "rescue", "--data", data.toString(), "--dry-run")).isZero();
    assertThat(cluster.asked()).isEmpty();
    assertThat(run.output()).contains("alert       3     0     3     0");
  }

  @Test
  void theLoadBalancerCanBeSpecified() {
    String[] words = {"queue-node", "rescue", "--data", data.toString(), "--to", "127.0.0.1:99"};
    assertThat(run.run(words)).isZero();
    assertThat(cluster.asked()).containsExactly("POST /v1/queues/alert/events");
    assertThat(cluster.last().uri().getAuthority()).isEqualTo("127.0.0.1:99");
  }

  @Test
  void aQueueThatTheClusterDoesNotKnowIsLeftWithTheReasonAndFailsTheCommand() {
    cluster.refusing("POST /v1/queues/alert/events", ErrorCode.UNKNOWN_QUEUE, "no queue alert");
    assertThat(run.run("queue-node", "rescue", "--data", data.toString())).isEqualTo(1);
    assertThat(run.output()).contains("alert       3     0     3     0  no queue alert");
  }

  @Test
  void eventsThatTheClusterRefusesStayAndTheExitCodeNamesTheError() {
    cluster.refusing("POST /v1/queues/alert/events", ErrorCode.FORBIDDEN, "not for you");
    assertThat(run.run("queue-node", "rescue", "--data", data.toString())).isEqualTo(4);
    assertThat(run.messages()).contains("not for you").doesNotContain("run it again");

    cluster.answering("POST /v1/queues/alert/events", new SendAnswer("alert", "b", 3, false, "q1"));
    assertThat(run.run("queue-node", "rescue", "--data", data.toString())).isZero();
  }

  @Test
  void theRoleItselfStillNeedsItsConfiguration() {
    assertThat(run.run("queue-node")).isEqualTo(2);
    assertThat(run.messages()).contains("--config");
  }
}
