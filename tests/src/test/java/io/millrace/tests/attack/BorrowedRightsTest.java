package io.millrace.tests.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.event.QueueActionAnswer.PurgeRequest;
import io.millrace.api.job.JobDraft;
import io.millrace.api.node.NodeRegistration;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.api.node.PollAnswer.PollRequest;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Role;
import io.millrace.tests.attack.RogueServer.Heard;
import io.millrace.tests.central.NodeClients;
import io.millrace.tests.cluster.Cluster;
import io.millrace.tests.cluster.NodeSigner;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Nodes that have joined keep the calls that a user's request causes: these carry no more rights
 * than the user has, and are worth nothing at any other server, whoever's nonce was used.
 */
class BorrowedRightsTest {
  private static final UUID QUEUE_NODE = new UUID(66, 1);
  private static final UUID EXECUTION_NODE = new UUID(66, 2);
  private static final String POOL = "pool-of-rogues";
  private static final Duration SOON = Duration.ofMinutes(3);

  @RegisterExtension static final Cluster CLUSTER = Cluster.alone(1, 1, 4);

  private final JdkTransport transport = new JdkTransport();
  private final AtomicLong sequence = new AtomicLong();
  private final Path tokens = CLUSTER.tokenFile(Role.ADMIN).getParent();
  private RogueServer rogue;

  @BeforeEach
  void listen() throws IOException {
    rogue = new RogueServer(new NodeSigner(tokens), CLUSTER.address(), 0);
  }

  @AfterEach
  void leave() {
    rogue.close();
  }

  @Test
  void aViewersRequestReachesAQueueNodeAsAViewers() throws Exception {
    CentralClient node = node(Role.QUEUE_NODE, "rogue-queue-node", QUEUE_NODE);
    CLUSTER.define("{kind: queue, name: bait, minSegments: 1}");
    for (URI victim : victims()) {
      rogue.relay(victim);
      Awaitility.await("a call to the rogue queue node")
          .atMost(SOON)
          .until(
              () -> {
                report(node);
                CLUSTER.central(Role.VIEWER).peek("bait", 10, null);
                CLUSTER.central(Role.VIEWER).deadLetters().list("bait", 10, null);
                return rogue.calls().stream().anyMatch(call -> call.path().contains("/dead"));
              });
      purge();
      List<Heard> taken = taken();
      assertThat(taken).anyMatch(call -> call.path().contains("/purge"));
      for (Heard call : taken) {
        boolean purge = call.path().contains("/purge");
        assertThat(call.claim("role")).as("%s", call).isEqualTo(purge ? "operator" : "viewer");
        requireUseless(call);
      }
    }
  }

  @Test
  void aViewersRequestReachesAnExecutionNodeAsAViewers() throws Exception {
    CentralClient node = node(Role.EXECUTION_NODE, "rogue-executor", EXECUTION_NODE);
    node.register(
        new NodeRegistration(
            EXECUTION_NODE,
            "rogue-executor",
            rogue.address(),
            NodeCapacity.ofSlots(4),
            List.of(POOL),
            Map.of(),
            null,
            List.of()),
        next());
    long job = CLUSTER.central().submit(JobDraft.command("true").pool(POOL).spec()).id();
    PollRequest poll = new PollRequest(List.of(), Duration.ZERO, true, null);
    Awaitility.await("the job on the rogue node")
        .atMost(SOON)
        .until(() -> !node.poll(EXECUTION_NODE, poll, next()).start().isEmpty());
    for (URI victim : victims()) {
      rogue.relay(victim);
      read(job);
      List<Heard> taken = taken();
      assertThat(taken).isNotEmpty();
      for (Heard call : taken) {
        assertThat(call.claim("role")).isEqualTo("viewer");
        requireUseless(call);
      }
    }
    node.deregister(EXECUTION_NODE, next());
    CLUSTER.central().cancel(job);
  }

  private static void purge() {
    try {
      CLUSTER.central(Role.OPERATOR).purge("bait", new PurgeRequest("bait", true, false, false));
    } catch (MillraceException e) {
      // The rogue's answer is not that of a queue node.
      assertThat(e.getMessage()).contains("not readable");
    }
  }

  private static void read(long job) throws IOException {
    try (InputStream log = CLUSTER.central(Role.VIEWER).logs(job, 0, "stdout", 0, false)) {
      assertThat(new String(log.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("[]");
    }
  }

  private List<Heard> taken() {
    List<Heard> taken = List.copyOf(rogue.calls());
    rogue.calls().clear();
    return taken;
  }

  private static List<URI> victims() {
    List<URI> victims = new ArrayList<>();
    CLUSTER.servers().values().forEach(server -> victims.add(server.address()));
    assertThat(victims).hasSize(4);
    return victims;
  }

  /** Not as it is, nor for anything else. */
  private void requireUseless(Heard call) throws IOException {
    for (URI victim : victims()) {
      for (String path : List.of(call.path(), "/v1/jobs", "/v1/queues/bait/events", "/metrics")) {
        for (String method : List.of(call.method(), "POST")) {
          HttpCall replay =
              new HttpCall(
                      method,
                      victim.resolve(path),
                      Map.of("Content-Type", "application/json"),
                      new byte[0],
                      Duration.ofSeconds(20))
                  .with("Authorization", call.authorization());
          assertThat(transport.send(replay).status())
              .as("%s %s at %s with the call %s", method, path, victim, call)
              .isEqualTo(401);
        }
      }
    }
  }

  private CentralClient node(Role role, String name, UUID id) {
    return new NodeClients(tokens, transport).of(CLUSTER.address(), role, name, id);
  }

  private RequestNumber next() {
    return new RequestNumber(1, sequence.incrementAndGet());
  }

  private void report(CentralClient node) {
    node.report(
        new QueueNodeReport(
            QUEUE_NODE,
            "rogue-queue-node",
            rogue.address(),
            new NodeLoad(NodeState.IDLE, 0.1, 0.1, 0.1, null, "quiet"),
            1,
            1,
            CLUSTER.central().queue("bait").segments().stream()
                .filter(one -> one.queue().equals("bait"))
                .limit(1)
                .toList(),
            null),
        next());
  }
}
