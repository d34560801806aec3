package io.millrace.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.NodeStatus;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.node.BalancerReport.BalancerAddress;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SlotTable;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.data.NodeIdFile;
import io.millrace.queuenode.session.store.LogSessionStore;
import io.millrace.queuenode.session.store.SessionStore;
import io.millrace.queuenode.session.store.SessionStore.GrantedSlot;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import io.millrace.queuenode.session.store.SessionStore.SessionPut;
import io.millrace.queuenode.store.LogSegmentStore;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.PutOrder;
import io.millrace.queuenode.store.SegmentStore;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
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

  private void keepASession() {
    NodeIdFile.ensure(data, new UUID(0, 3));
    SessionDefinition rules = SessionDefinition.of("key");
    int slot = SessionKey.slot("17");
    try (SessionStore store =
        LogSessionStore.open(data.resolve("sessions"), "q3", new ManualClock(CommandRun.NOW))) {
      store.take("orders", 1, List.of(new GrantedSlot(slot, 1, List.of(), false)), 0);
      NewEvent event = new NewEvent("e1", "{}".getBytes(StandardCharsets.UTF_8), null);
      List<KeyedEvent> events = List.of(new KeyedEvent(event, "17", slot, 0));
      store.put(new SessionPut("orders", rules, events, 10, 0, 1));
      store.commit();
      store.force();
    }
  }

  private void haveReplaced(boolean lost) {
    int slot = SessionKey.slot("17");
    SlotTable slots =
        SlotTable.of(Map.of("q1", SlotTable.SLOTS))
            .with(List.of(slot), owner -> new SlotOwner("q1", 2, List.of("q3")));
    QueueDefinition orders =
        new QueueDefinition(
            "orders",
            0,
            0,
            0,
            null,
            0,
            null,
            0,
            null,
            null,
            0,
            null,
            null,
            null,
            null,
            SessionDefinition.of("key"));
    URI address = URI.create("http://127.0.0.1:7801");
    cluster
        .answering(
            "GET /v1/overview",
            Map.of("queueNodes", List.of(Map.of("id", new UUID(0, 3), "name", "q3", "lost", lost))))
        .answering(
            "GET /v1/topology",
            new Topology(
                "1",
                List.of(new VersionedQueue(orders, 1)),
                List.of(new QueueWeights("orders", 2, slots.points(), slots)),
                List.of(new QueueNodeAddress(new UUID(0, 1), "q1", address, NodeStatus.ACTIVE)),
                List.of()))
        .answering("POST /v1/queues/orders/slots/" + slot + "/parts", "");
  }

  @Test
  void sessionsGoToTheNodeThatHasTheirSlots() {
    keepASession();
    haveReplaced(true);
    String[] words = {"queue-node", "rescue", "--data", data.toString()};
    assertThat(run.run(words)).isZero();
    assertThat(cluster.asked())
        .contains("POST /v1/queues/orders/slots/" + SessionKey.slot("17") + "/parts");
    assertThat(run.output())
        .contains(
            """
            QUEUE OF SESSIONS  SLOTS  SESSIONS  EVENTS  SENT  LEFT  SESSIONS LEFT  PROBLEM
            orders                 1         1       1     1     0              0  -
            """)
        .contains("alert       3     3     0     0  -");
    assertThat(run.messages()).contains("orders: 1 of 1 slot sent");
  }

  @Test
  void sessionsOfANodeThatIsNotLostAreLeftAndEventsAreSent() {
    keepASession();
    haveReplaced(false);
    assertThat(run.run("queue-node", "rescue", "--data", data.toString())).isEqualTo(1);
    assertThat(run.output()).contains("q3 is not lost yet").contains("alert       3     3     0");
  }

  @Test
  void aDryRunShowsSessionsToo() {
    keepASession();
    String[] words = {"queue-node", "rescue", "--data", data.toString(), "--dry-run", "--json"};
    assertThat(run.run(words)).isZero();
    assertThat(cluster.asked()).isEmpty();
    assertThat(run.output()).contains("\"queue\":\"orders\"", "\"sessions\":1", "\"alert\"");
  }

  @Test
  void theRoleItselfStillNeedsItsConfiguration() {
    assertThat(run.run("queue-node")).isEqualTo(2);
    assertThat(run.messages()).contains("--config");
  }
}
