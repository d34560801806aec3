package io.millrace.manager.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.NodeRegistration.RegistrationAnswer;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.node.NodeRegistry.RegisteredNode;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.WriteProof;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodeRegistrationTest {
  private static final Heartbeat QUICK =
      new Heartbeat(Duration.ofMillis(50), Duration.ofSeconds(1));

  private JobBench bench = JobBench.withTwoNodes(1);

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void aNodeThatRegistersAgainKeepsTheAttemptsItListsAndTheRestRunElsewhere() {
    restart(new JobBench(Heartbeat.defaults()));
    bench.employ(JobBench.E1, "e1", 2);
    long kept = bench.submit(JobBench.command());
    long lost = bench.submit(JobBench.command());
    bench.place();
    AttemptId keep = new AttemptId(kept, 1);
    AttemptId unknown = new AttemptId(4711, 1);
    RegistrationAnswer answer =
        bench.register(JobBench.registration(JobBench.E1, "e1", 2, keep, unknown));
    assertThat(answer.keep()).containsExactly(keep);
    assertThat(answer.end()).containsExactly(unknown);
    assertThat(bench.state(kept)).isEqualTo(JobState.PLACED);
    assertThat(bench.state(lost)).isEqualTo(JobState.WAITING);
    assertThat(bench.queries.details(lost).attempts())
        .extracting(AttemptView::outcome)
        .containsExactly(Outcome.LOST);
    bench.employ(JobBench.E1, "e1", 2, keep);
    assertThat(bench.place()).isEqualTo(1);
    assertThat(bench.queries.view(lost).attempt()).isEqualTo(2);
  }

  @Test
  void aNameOfAnotherLiveNodeIsRefusedWithTheFix() {
    assertThatThrownBy(() -> bench.employ(new UUID(9, 9), "e1", 1))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("the name e1 belongs to node " + JobBench.E1)
        .hasMessageContaining("give this node another name");
  }

  @Test
  void theNameOfALostNodePassesToANewNodeAndTheOldAttemptsAreLost() {
    long id = bench.submit(JobBench.command());
    bench.place();
    assertThat(bench.queries.view(id).node()).isEqualTo("e1");
    bench.deregister(JobBench.E1);
    UUID successor = new UUID(9, 9);
    bench.employ(successor, "e1", 1);
    assertThat(bench.nodes.list())
        .extracting(ExecutionNodeView::id)
        .containsExactly(successor, JobBench.E2);
    assertThat(bench.state(id)).isEqualTo(JobState.WAITING);
  }

  @Test
  void theJobsOfANodeThatLeavesGoToTheEndOfTheQueue() {
    long first = bench.submit(JobBench.command());
    bench.place();
    long second = bench.submit(JobBench.command());
    long third = bench.submit(JobBench.command());
    bench.deregister(JobBench.E1);
    assertThat(bench.nodes.list().get(0).status()).isEqualTo(NodeStatus.LOST);
    bench.place();
    assertThat(bench.state(second)).isEqualTo(JobState.PLACED);
    assertThat(bench.state(third)).isEqualTo(JobState.WAITING);
    assertThat(bench.state(first)).isEqualTo(JobState.WAITING);
    bench.end(new AttemptId(second, 1), Outcome.SUCCEEDED, 0);
    bench.place();
    assertThat(bench.state(third)).isEqualTo(JobState.PLACED);
    assertThat(bench.state(first)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aNodeWhoseLeaseExpiredIsLostAndItsJobsKeepTheirPosition() {
    restart(new JobBench(QUICK));
    bench.employ(JobBench.E1, "e1", 1);
    long id = bench.submit(JobBench.command());
    bench.place();
    bench.handOut(JobBench.E1);
    NodeExpiry expiry =
        new NodeExpiry(
            bench.database,
            bench.claims,
            bench.attempts,
            new SystemClock(),
            new WriteProof(bench.database, new SystemClock()),
            QUICK);
    Claim claim =
        bench.claims.acquireOrRenew("expire-nodes", "test", Duration.ofMinutes(1)).orElseThrow();
    await()
        .pollInterval(Duration.ofMillis(10))
        .untilAsserted(
            () -> {
              expiry.observe();
              expiry.run(claim);
              assertThat(bench.nodes.list().get(0).status()).isEqualTo(NodeStatus.LOST);
            });
    JobView job = bench.queries.view(id);
    assertThat(job.state()).isEqualTo(JobState.WAITING);
    assertThat(job.reason()).isEqualTo("node e1 lost");

    AttemptId late = new AttemptId(id, 1);
    assertThat(bench.end(late, Outcome.SUCCEEDED, 0)).containsExactly(late);
    assertThat(bench.register(JobBench.registration(JobBench.E1, "e1", 1, late)).end())
        .containsExactly(late);
    assertThat(bench.nodes.list().get(0).status()).isEqualTo(NodeStatus.ACTIVE);
  }

  @Test
  void queueNodesAndBalancersShareTheRegistryAndItsNames() {
    UUID q1 = new UUID(2, 1);
    URI address = URI.create("http://127.0.0.1:2");
    bench.registry.renew(
        NodeKind.QUEUE, q1, "q1", address, "{}", JobBench.number(), Duration.ofMinutes(1));
    bench.registry.renew(
        NodeKind.QUEUE, q1, "q1", address, "{\"a\":1}", JobBench.number(), Duration.ofMinutes(1));
    List<RegisteredNode> nodes = bench.registry.nodes(NodeKind.QUEUE);
    assertThat(nodes).hasSize(1);
    assertThat(nodes.get(0).employed()).isTrue();
    assertThat(nodes.get(0).report()).isEqualTo("{\"a\":1}");
    assertThatThrownBy(
            () ->
                bench.registry.renew(
                    NodeKind.BALANCER,
                    new UUID(3, 1),
                    "q1",
                    address,
                    null,
                    JobBench.number(),
                    Duration.ofMinutes(1)))
        .isInstanceOf(MillraceException.class);
  }

  @Test
  void theNameOfAWithdrawnNodeIsFreeAtOnce() {
    NodeIdentities identities = new NodeIdentities(bench.database, new SystemClock());
    NodeIdentity former = new NodeIdentity(Role.QUEUE_NODE, "q1", new UUID(2, 1));
    identities.require(Principal.of(former));
    URI address = URI.create("http://127.0.0.1:2");
    renew(former.id(), address);
    assertThatThrownBy(() -> renew(new UUID(2, 2), address)).hasMessageContaining("is alive");

    identities.withdraw("q1", "ann");
    renew(new UUID(2, 2), address);

    assertThat(bench.registry.nodes(NodeKind.QUEUE))
        .extracting(RegisteredNode::id)
        .containsExactly(new UUID(2, 2));
  }

  private void renew(UUID id, URI address) {
    bench.registry.renew(
        NodeKind.QUEUE, id, "q1", address, "{}", JobBench.number(), Duration.ofMinutes(1));
  }

  private void restart(JobBench other) {
    bench.close();
    bench = other;
  }
}
