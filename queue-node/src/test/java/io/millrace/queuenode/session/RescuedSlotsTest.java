package io.millrace.queuenode.session;

import static io.millrace.queuenode.session.SessionNode.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.NodeStatus;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.insight.Overview;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.MovedEvent;
import io.millrace.api.session.SlotPage.MovedSession;
import io.millrace.api.session.SlotPage.Sending;
import io.millrace.api.session.SlotTable;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.platform.data.NodeIdFile;
import io.millrace.platform.identity.Role;
import io.millrace.queuenode.rescue.ClusterSlotOwners;
import io.millrace.queuenode.rescue.SessionRescue;
import io.millrace.queuenode.rescue.SessionRescue.RescueWatch;
import io.millrace.queuenode.rescue.SessionRescue.RescuedSessions;
import io.millrace.queuenode.session.SessionNode.Worker;
import io.millrace.queuenode.session.store.LogSessionStore;
import io.millrace.queuenode.session.store.SessionStore;
import io.millrace.queuenode.session.store.SessionStore.GrantedSlot;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import io.millrace.queuenode.session.store.SessionStore.SessionPut;
import io.millrace.queuenode.store.NewEvent;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node takes from an administrator what the lost node q0 held of a slot that it has now. */
class RescuedSlotsTest {
  private static final String JOB = "17";
  private static final int SLOT = SessionKey.slot(JOB);

  @TempDir Path folder;

  private final SessionDefinition rules = SessionDefinition.of("/jobId");
  private final UUID dead = UUID.randomUUID();
  private SessionNode node;

  @BeforeEach
  void start() {
    node = new SessionNode(folder.resolve("q1"), rules);
    inheritFrom(true);
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private void inheritFrom(boolean lost) {
    SlotTable all = SlotTable.of(Map.of("q1", SlotTable.SLOTS));
    node.inherit(
        all.with(List.of(SLOT), one -> new SlotOwner("q1", 2, List.of("q0"))),
        new QueueNodeAddress(
            dead, "q0", URI.create("http://127.0.0.1:9"), NodeStatus.ACTIVE, null, lost),
        new QueueNodeAddress(UUID.randomUUID(), "q1", node.address(), NodeStatus.ACTIVE));
  }

  private HttpAnswer send(Role role, String from, long epoch) {
    return send(role, from, epoch, null);
  }

  private HttpAnswer send(Role role, String from, long epoch, String attributes) {
    MovedEvent event =
        new MovedEvent(1, "e1", 0, attributes, "{\"jobId\":\"17\",\"event\":\"e1\"}");
    MovedSession session =
        new MovedSession(
            JOB,
            new SessionNumber(1, 0),
            false,
            0,
            1,
            0,
            null,
            0,
            0,
            0,
            null,
            null,
            List.of(),
            List.of(event));
    SlotPage page =
        new SlotPage(
            SLOT, epoch, from, Sending.to(2), 0, List.of(session), List.of(), null, List.of());
    URI path = URI.create("/v1/queues/" + QUEUE + "/slots/" + SLOT + "/parts");
    return node.call(role, HttpCall.post(path, page));
  }

  private List<String> delivered() {
    // Until the lease of the lost node and the deadline of its workers have passed.
    for (int i = 0; i < 3; i++) {
      node.clock.advance(Duration.ofHours(20));
      node.renewLease();
    }
    Worker worker = node.worker("w").employed();
    node.look.look();
    return worker.take();
  }

  @Test
  void aPartOfALostNodeIsTakenFromAnAdministrator() {
    node.event(JOB, "e2");
    assertThat(send(Role.ADMIN, "q0", 1).status()).isEqualTo(204);
    node.keeper.keep();
    assertThat(send(Role.ADMIN, "q0", 1).status()).as("repeated").isEqualTo(204);
    assertThat(delivered()).containsExactly("e1", "e2");
  }

  @Test
  void nothingOfAPartThatNoNodeCanHaveSentIsStored() {
    HttpAnswer refusal = send(Role.ADMIN, "q0", 1, "nonsense");
    assertThat(refusal.status()).isEqualTo(400);
    assertThat(refusal.text()).contains("slot " + SLOT).contains("q0").contains("attributes");
    assertThat(send(Role.ADMIN, "q0", 1, "{}").status()).isEqualTo(204);
    assertThat(delivered()).containsExactly("e1");
  }

  @Test
  void othersThanAdministratorsMustNotSendForANode() {
    for (Role role : List.of(Role.OPERATOR, Role.PRODUCER, Role.VIEWER)) {
      assertThat(send(role, "q0", 1).status()).isEqualTo(403);
    }
  }

  @Test
  void aPartOfANodeThatIsNotLostIsRefusedSinceItSendsItItself() {
    inheritFrom(false);
    HttpAnswer refusal = send(Role.ADMIN, "q0", 1);
    assertThat(refusal.status()).isEqualTo(409);
    assertThat(refusal.text()).contains("q0 is not lost");
  }

  @Test
  void aPartForWhichTheSlotDoesNotWaitIsRefused() {
    assertThat(send(Role.ADMIN, "q7", 1).status()).isEqualTo(409);
    assertThat(send(Role.ADMIN, "q0", 2).status()).as("not earlier").isEqualTo(400);
    assertThat(send(Role.ADMIN, null, 1).status()).isEqualTo(400);
  }

  @Test
  void theSessionsOnTheDiskOfTheLostNodeArriveAndAreAssigned() throws Exception {
    Path disk = folder.resolve("disk");
    NodeIdFile.ensure(disk, dead);
    SessionStore store = LogSessionStore.open(disk.resolve("sessions"), "q0", node.clock);
    store.take(
        QUEUE, 1, List.of(new GrantedSlot(SLOT, 1, List.of(), false)), node.clock.nanoTime());
    byte[] data = "{\"jobId\":\"17\",\"event\":\"e1\"}".getBytes(StandardCharsets.UTF_8);
    store.put(
        new SessionPut(
            QUEUE,
            rules,
            List.of(new KeyedEvent(new NewEvent("e1", data, null), JOB, SLOT, 0)),
            10,
            0,
            1));
    store.commit();
    store.close();
    node.event(JOB, "e2");
    SessionRescue rescue =
        new SessionRescue(
            disk,
            new ClusterSlotOwners(() -> new CentralClient(central())),
            Duration.ZERO,
            new Quiet(),
            node.clock);
    assertThat(rescue.run()).containsExactly(new RescuedSessions(QUEUE, 1, 1, 1, 1, 0, 0, 0, null));
    assertThat(delivered()).containsExactly("e1", "e2");
  }

  private ApiClient central() {
    return new ApiClient(
        new Central(), new Endpoints(List.of(URI.create("http://127.0.0.1:9"))), () -> "t");
  }

  /** A central manager that knows both nodes, and passes parts on. */
  private final class Central implements HttpTransport {
    @Override
    public HttpAnswer send(HttpCall call) {
      if (call.method().equals("POST")) {
        assertThat(call.uri().getPort()).as("the central manager's").isEqualTo(9);
        return node.call(Role.ADMIN, call.at(URI.create(call.uri().getPath())));
      }
      Object answer = call.uri().getPath().equals("/v1/overview") ? overview() : node.topology();
      return new HttpAnswer(200, Map.of(), Json.writeBytes(answer));
    }

    private Overview overview() {
      QueueNodeView lost =
          new QueueNodeView(
              dead,
              "q0",
              null,
              false,
              true,
              false,
              99,
              NodeStatus.ACTIVE,
              null,
              null,
              null,
              1,
              1,
              null,
              List.of(),
              null);
      return new Overview(
          Instant.EPOCH,
          "1",
          List.of(lost),
          List.of(),
          List.of(),
          List.of(),
          null,
          null,
          List.of());
    }

    @Override
    public InputStream stream(HttpCall call) {
      throw new UnsupportedOperationException("nothing is streamed");
    }
  }

  /** Shows nothing. */
  private static final class Quiet implements RescueWatch {
    @Override
    public void sent(String queue, int sent, int found) {
      assertThat(sent).isLessThanOrEqualTo(found);
    }

    @Override
    public void waits(String reason) {
      assertThat(reason).isNotEmpty();
    }
  }
}
