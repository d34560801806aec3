package io.millrace.tests.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A machine that has joined with a token tries to be more, or another one, than it is. */
class JoinedMachineTest {
  private static final String NUMBER = "?incarnation=1&sequence=1";
  private static final String QUEUE_NODE =
      "{'id':'%s','name':'%s','address':'http://127.0.0.1:1','capacity':1,'configuredCapacity':1,"
          + "'load':{'state':'IDLE','load':0.1,'cpu':0.1,'store':0.1},'segments':[]}";
  private static final String EXECUTION_NODE =
      "{'id':'%s','name':'%s','address':'http://127.0.0.1:1','capacity':{'slots':1},"
          + "'pools':['nowhere'],'live':[]}";

  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  @Test
  void itHasTheRoleOfItsTokenAndNoOtherAndNoOtherName() throws Exception {
    JoinedMachine machine = JoinedMachine.join(CLUSTER, Role.LOAD_BALANCER, "joined-balancer");
    assertThat(machine.identity().role()).isEqualTo(Role.LOAD_BALANCER);
    assertThat(machine.send(CLUSTER, "GET", "/v1/topology", "").status()).isEqualTo(200);

    UUID id = machine.identity().id();
    for (NodeIdentity other :
        List.of(
            new NodeIdentity(Role.QUEUE_NODE, "joined-balancer", id),
            new NodeIdentity(Role.EXECUTION_NODE, "joined-balancer", id),
            new NodeIdentity(Role.LOAD_BALANCER, "lb1", id))) {
      assertThat(as(machine, Principal.of(other))).as("as %s", other).isEqualTo(401);
    }
    for (Role role : List.of(Role.ADMIN, Role.OPERATOR, Role.VIEWER, Role.MANAGER)) {
      assertThat(as(machine, Principal.of(role, "joined-balancer")))
          .as("as %s", role)
          .isEqualTo(401);
    }

    Map<String, String> ofOthers =
        Map.of(
            "/v1/execution-nodes" + NUMBER,
            EXECUTION_NODE.formatted(id, "joined-balancer"),
            "/v1/queue-nodes/" + id + "/report" + NUMBER,
            QUEUE_NODE.formatted(id, "joined-balancer"),
            "/v1/weights/moves",
            "{}",
            "/v1/pacing/rounds",
            "{'decisions':[],'views':[]}",
            "/v1/jobs",
            "{'command':['true']}",
            "/v1/definitions",
            "{}",
            "/v1/join-tokens",
            "{'role':'execution-node'}",
            "/v1/login-codes",
            "{}");
    ofOthers.forEach(
        (path, body) ->
            assertThat(machine.send(CLUSTER, "POST", path, body).status()).as(path).isEqualTo(403));
  }

  private static int as(JoinedMachine machine, Principal claimed) {
    return machine
        .send(CLUSTER.address(), NodeIdentity.CENTRAL, claimed, "GET", "/v1/topology", "")
        .status();
  }

  /** The topology, which every node may read, tells the IDs of all. */
  @Test
  void itActsForNoOtherNodeWhoseIdAndNameItKnows() throws Exception {
    JoinedMachine machine = JoinedMachine.join(CLUSTER, Role.QUEUE_NODE, "joined-queue-node");
    JoinedMachine executor = JoinedMachine.join(CLUSTER, Role.EXECUTION_NODE, "joined-executor");
    QueueNodeAddress victim = victim();
    UUID e1 = CLUSTER.central().executionNodes().get(0).id();
    CLUSTER.define("{kind: queue, name: not-for-machines, minSegments: 1}");
    List<String> accepted = new ArrayList<>();

    for (NodeIdentity spokenOf :
        List.of(
            new NodeIdentity(Role.QUEUE_NODE, "q1", victim.id()),
            new NodeIdentity(Role.QUEUE_NODE, "joined-queue-node", victim.id()),
            new NodeIdentity(Role.QUEUE_NODE, "q1", machine.identity().id()))) {
      refused(
          accepted,
          machine,
          "/v1/queue-nodes/" + spokenOf.id() + "/report" + NUMBER,
          QUEUE_NODE.formatted(spokenOf.id(), spokenOf.name()));
    }
    for (String[] words : new String[][] {{"q1", "q1"}, {"joined-queue-node", "q1"}}) {
      refused(
          accepted,
          machine,
          "/v1/weights/moves",
          ("{'id':'%s','node':'%s','kind':'SHED','policy':'measured','reason':'x','moves':[{'queue':"
                  + "'not-for-machines','version':1,'from':'%s','to':'joined-queue-node','points':1}]}")
              .formatted(UUID.randomUUID(), words[0], words[1]));
    }
    for (String[] words :
        new String[][] {
          {e1.toString(), "e1"},
          {e1.toString(), "joined-executor"},
          {executor.identity().id().toString(), "e1"}
        }) {
      refused(
          accepted,
          executor,
          "/v1/execution-nodes" + NUMBER,
          EXECUTION_NODE.formatted(words[0], words[1]));
    }
    refused(accepted, executor, "/v1/execution-nodes/" + e1 + "/poll" + NUMBER, "{'held':[]}");
    refused(accepted, executor, "/v1/execution-nodes/" + e1 + "/reports", "{'reports':[]}");

    assertThat(accepted).isEmpty();
    assertThat(victim()).isEqualTo(victim);
  }

  private static void refused(
      List<String> accepted, JoinedMachine machine, String path, String body) {
    HttpAnswer answer = machine.send(CLUSTER, "POST", path, body);
    if (answer.status() != 403) {
      accepted.add("%s with %s: %d %s".formatted(path, body, answer.status(), answer.text()));
    }
  }

  private static QueueNodeAddress victim() {
    Topology topology = CLUSTER.as("q1").topology(null, Duration.ZERO).orElseThrow();
    return topology.nodes().stream()
        .filter(one -> one.name().equals("q1"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theNameAndTheIdOfALivingNodeAreRefused() {
    UUID q1 = victim().id();
    KeyPair keys = KeyFiles.newPair();
    for (Role role : Role.nodes()) {
      String token = JoinedMachine.token(CLUSTER, role, null).token();
      conflict(() -> JoinedMachine.join(CLUSTER, token, "q1", keys, null));
      conflict(() -> JoinedMachine.join(CLUSTER, token, "q1", keys, q1));
      conflict(() -> JoinedMachine.join(CLUSTER, token, "free-" + role.label(), keys, q1));
    }
    assertThat(victim().id()).isEqualTo(q1);
    assertThat(CLUSTER.as("q1").topology(null, Duration.ZERO)).as("q1 is still heard").isPresent();
  }

  @Test
  void aTokenIsForOneMachineAndForTheNamesThatItAllows() {
    KeyPair keys = KeyFiles.newPair();
    String token = JoinedMachine.token(CLUSTER, Role.QUEUE_NODE, "rack7-*").token();
    assertThatThrownBy(() -> JoinedMachine.join(CLUSTER, token, "rack8-1", keys, null))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
    JoinedMachine.join(CLUSTER, token, "rack7-1", keys, null);
    conflict(() -> JoinedMachine.join(CLUSTER, token, "rack7-1", KeyFiles.newPair(), null));
    conflict(() -> JoinedMachine.join(CLUSTER, token, "rack7-2", keys, null));
  }

  private static void conflict(ThrowingCallable join) {
    assertThatThrownBy(join)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
  }
}
