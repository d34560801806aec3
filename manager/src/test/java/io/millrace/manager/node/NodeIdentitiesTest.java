package io.millrace.manager.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.NodeIdentityView;
import io.millrace.manager.job.JobBench;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes that are certified with the cluster's key, and have lost their files. */
class NodeIdentitiesTest {
  private final JobBench bench = new JobBench(Heartbeat.defaults());
  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
  private final NodeIdentities identities = new NodeIdentities(bench.database, clock);
  private final NodeIdentity former = node(Role.EXECUTION_NODE);
  private final NodeIdentity again = node(Role.EXECUTION_NODE);

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void aNodeThatIsLostIsSucceededByTheNodeOfItsNameAndStaysRefused() {
    registered();
    refused(again, ErrorCode.CONFLICT, "wait until it is lost");

    bench.deregister(former.id());
    require(again);

    assertThat(identities.list()).extracting(NodeIdentityView::id).containsExactly(again.id());
    assertThat(identities.withdrawn()).containsExactly(former.id());
    clock.advance(NodeIdentities.CACHED);
    refused(former, ErrorCode.FORBIDDEN, "delete its files node.identity and node-id");
  }

  @Test
  void aNodeOfAnotherRoleDoesNotSucceedIt() {
    registered();
    bench.deregister(former.id());
    refused(node(Role.QUEUE_NODE), ErrorCode.CONFLICT, "belongs to the execution-node");
    require(former);
  }

  @Test
  void aNodeThatHasJoinedIsNeverSucceededWithoutAToken() {
    bench.database.transaction(
        handle -> {
          identities.add(handle, former, "ann", false, Instant.EPOCH);
          return null;
        });
    registered();
    bench.deregister(former.id());
    refused(again, ErrorCode.CONFLICT, "millrace identity withdraw e7");
    require(former);
  }

  @Test
  void aNodeThatIsNotRegisteredYetIsNotSucceeded() {
    require(former);
    refused(again, ErrorCode.CONFLICT, "wait until it is lost");
  }

  @Test
  void aNodeThatWasForgottenIsSucceededUnlessItWasHeardWithinAMinute() {
    require(former);
    bench.database.transaction(
        handle ->
            handle.execute("update node_identity set joined_at = timestamp '2020-01-01 00:00:00'"));
    refused(again, ErrorCode.CONFLICT, "wait until it is lost");
    clock.advance(Duration.ofMinutes(1));
    require(again);
    assertThat(identities.withdrawn()).containsExactly(former.id());
  }

  @Test
  void aNodeThatAnOperatorWithdrewDoesNotReturnWithTheSameId() {
    require(former);
    identities.withdraw("e7", "ann");
    clock.advance(NodeIdentities.CACHED);
    refused(former, ErrorCode.FORBIDDEN, "delete its files node.identity and node-id");
    assertThat(identities.list()).isEmpty();
    // With the files deleted it has a new ID.
    require(again);
    assertThat(identities.list()).extracting(NodeIdentityView::id).containsExactly(again.id());
  }

  private void registered() {
    require(former);
    bench.employ(former.id(), "e7", 1);
  }

  private void require(NodeIdentity node) {
    identities.require(Principal.of(node));
  }

  private static NodeIdentity node(Role role) {
    return new NodeIdentity(role, "e7", UUID.randomUUID());
  }

  private void refused(NodeIdentity node, ErrorCode code, String words) {
    assertThatThrownBy(() -> require(node))
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(words);
  }
}
