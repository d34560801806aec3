package io.millrace.manager.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.NodeStatus;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.manager.insight.WaitBench;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.job.SegmentKey;
import io.millrace.manager.node.ExecutionNodeViews.NodeDenylist;
import io.millrace.platform.claim.Claim;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Managers never end by themselves, so a drain without a deadline moves them. */
class ManagerMovesTest {
  private final WaitBench bench = new WaitBench();
  private final ExecutionNodeViews views =
      new ExecutionNodeViews(bench.jobs.database, NodeDenylist.NONE);
  private final ManagerMoves moves =
      new ManagerMoves(
          bench.jobs.database, bench.jobs.claims, bench.jobs.attempts, bench.explanations::taken);
  private Claim claim;
  private AttemptId manager;

  @BeforeEach
  void aManagerRunsOnTheFirstNode() {
    claim =
        bench.jobs.claims.acquireOrRenew("drain-nodes", "t", Duration.ofMinutes(10)).orElseThrow();
    bench.employ(JobBench.E1, "e1", 2);
    long id =
        bench.jobs.submit(JobKind.MANAGER, JobBench.manager(new SegmentKey("alert", "q1"))).get(0);
    manager = new AttemptId(id, 1);
    assertThat(bench.place()).isEqualTo(1);
    bench.jobs.start(manager);
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void aDrainedNodesManagerIsStoppedAndRunsOnAnotherSoThatTheNodeIsDrained() {
    bench.employ(JobBench.E2, "e2", 2);
    moves.run(claim);
    assertThat(stopRequested(JobBench.E1)).as("the node takes jobs").isFalse();

    bench.drain("e1");
    moves.run(claim);
    assertThat(stopRequested(JobBench.E1)).isTrue();
    assertThat(views.require("e1").managers()).isEqualTo(1);
    assertThat(views.require("e1").stoppingManagers()).as("asked to stop").isEqualTo(1);
    bench.jobs.end(manager, Outcome.STOPPED, null);
    assertThat(bench.place()).isEqualTo(1);
    assertThat(bench.jobs.queries.view(manager.job()).node()).isEqualTo("e2");
    assertThat(views.require("e1").status()).isEqualTo(NodeStatus.DRAINED);
  }

  @Test
  void aManagerThatNoOtherNodeTakesRunsOnUntilOneDoes() {
    bench.drain("e1");
    moves.run(claim);
    assertThat(stopRequested(JobBench.E1)).as("there is no other node").isFalse();
    ExecutionNodeView held = views.require("e1");
    assertThat(held.status()).isEqualTo(NodeStatus.DRAINING);
    assertThat(held.onlyManagersLeft()).isTrue();
    assertThat(held.stoppingManagers()).isZero();

    bench.employ(JobBench.E2, "e2", 2);
    bench.drain("e2");
    moves.run(claim);
    assertThat(stopRequested(JobBench.E1)).as("the other one is drained too").isFalse();

    bench.undrain("e2");
    moves.run(claim);
    assertThat(stopRequested(JobBench.E1)).isTrue();
  }

  @Test
  void aManagerThatMovedIsNotMovedBackToANodeThatIsStillDrained() {
    bench.employ(JobBench.E2, "e2", 2);
    bench.drain("e1");
    moves.run(claim);
    bench.jobs.end(manager, Outcome.STOPPED, null);
    assertThat(bench.place()).isEqualTo(1);

    bench.drain("e2");
    moves.run(claim);
    assertThat(stopRequested(JobBench.E2)).isFalse();
    assertThat(bench.jobs.state(manager.job())).isNotEqualTo(JobState.WAITING);
  }

  @Test
  void managersAreMovedAFewAtATime() {
    bench.employ(JobBench.E1, "e1", 40);
    for (int i = 0; i < 20; i++) {
      bench.jobs.submit(JobKind.MANAGER, JobBench.manager(new SegmentKey("queue" + i, "q1")));
    }
    // With the one that it had before it registered again.
    assertThat(bench.place()).isEqualTo(21);
    bench.employ(JobBench.E2, "e2", 40);
    bench.drain("e1");

    moves.run(claim);
    assertThat(asked(JobBench.E1)).isEqualTo(ManagerMoves.AT_ONCE);
    moves.run(claim);
    assertThat(asked(JobBench.E1)).isEqualTo(2 * ManagerMoves.AT_ONCE);
  }

  @Test
  void aManagerStaysWhereOtherNodesOnlyTakeJobsThatAskForThem() {
    bench.employ(JobBench.E2, "e2", new NodeCapacity(2, 0, 0, Map.of(), true), Map.of());
    bench.drain("e1");
    moves.run(claim);
    assertThat(stopRequested(JobBench.E1)).isFalse();
  }

  @Test
  void otherJobsMayFinishSingleInstancesToo() {
    long single = bench.submit(JobDraft.command("/bin/true").single("nightly").spec());
    assertThat(bench.place()).isEqualTo(1);
    bench.jobs.start(new AttemptId(single, 1));
    bench.employ(JobBench.E2, "e2", 2);
    bench.drain("e1");
    assertThat(views.require("e1").onlyManagersLeft()).isFalse();
    moves.run(claim);
    assertThat(
            bench.jobs.database.read(handle -> bench.jobs.attempts.of(handle, JobBench.E1)).stream()
                .filter(booking -> booking.stopRequested())
                .map(booking -> booking.attempt()))
        .containsExactly(manager);
  }

  private boolean stopRequested(UUID node) {
    return asked(node) > 0;
  }

  private long asked(UUID node) {
    return bench.jobs.database.read(handle -> bench.jobs.attempts.of(handle, node)).stream()
        .filter(booking -> booking.stopRequested())
        .count();
  }
}
