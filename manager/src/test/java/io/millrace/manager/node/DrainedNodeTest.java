package io.millrace.manager.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.NodeCommand;
import io.millrace.api.node.NodeRegistration;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.node.ExecutionNodeViews.NodeDenylist;
import io.millrace.platform.claim.Claim;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What operators want of execution nodes. */
class DrainedNodeTest {
  private static final NodeCommand NO_DEADLINE = new NodeCommand(null, "a new disk");

  private final JobBench bench = JobBench.withTwoNodes(2);
  private final ExecutionNodeViews views =
      new ExecutionNodeViews(bench.database, NodeDenylist.NONE);
  private final ExecutionNodeCommands commands =
      new ExecutionNodeCommands(bench.database, views, bench.wakeUps);
  private final DrainDeadlines deadlines =
      new DrainDeadlines(bench.database, bench.claims, bench.attempts);
  private Claim claim;

  @BeforeEach
  void claim() {
    claim = bench.claims.acquireOrRenew("drain-nodes", "t", Duration.ofMinutes(10)).orElseThrow();
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void aDrainedNodeGetsNoJobsUntilItIsUndrained() {
    ExecutionNodeView drained = commands.drain("e1", NO_DEADLINE, "ann");
    assertThat(drained.status()).as("nothing runs there").isEqualTo(NodeStatus.DRAINED);
    assertThat(drained.statusReason()).isEqualTo("a new disk");
    for (int i = 0; i < 4; i++) {
      bench.submit(JobBench.command());
    }
    assertThat(bench.place()).isEqualTo(2);
    assertThat(bench.recorded(JobBench.E1)).isEmpty();

    assertThat(commands.undrain("e1", "ann").status()).isEqualTo(NodeStatus.ACTIVE);
    assertThat(bench.place()).isEqualTo(2);
    assertThat(bench.recorded(JobBench.E1)).hasSize(2);
  }

  @Test
  void runningAttemptsMayFinishWithoutADeadline() {
    AttemptId attempt = running();
    ExecutionNodeView draining = commands.drain("e1", NO_DEADLINE, "ann");
    assertThat(draining.status()).isEqualTo(NodeStatus.DRAINING);
    deadlines.run(claim);
    assertThat(stopRequested(attempt)).isFalse();
  }

  @Test
  void attemptsStillRunningAtTheDeadlineAreStoppedAndRunElsewhereWithTheReason() {
    AttemptId attempt = running();
    commands.drain("e1", new NodeCommand(Duration.ZERO, null), "ann");
    deadlines.run(claim);
    assertThat(stopRequested(attempt)).isTrue();

    bench.end(attempt, Outcome.STOPPED, null);
    JobView job = bench.queries.view(attempt.job());
    assertThat(job.state()).isEqualTo(JobState.WAITING);
    assertThat(job.reason()).isEqualTo("node e1 drained");
    assertThat(bench.place()).isEqualTo(1);
    assertThat(bench.queries.view(attempt.job()).node()).isEqualTo("e2");
  }

  @Test
  void beforeTheDeadlineNothingIsStopped() {
    AttemptId attempt = running();
    commands.drain("e1", new NodeCommand(Duration.ofHours(1), null), "ann");
    deadlines.run(claim);
    assertThat(stopRequested(attempt)).isFalse();
  }

  @Test
  void aNodeInMaintenanceTakesNoJobsAndItEndsAutomatically() {
    commands.maintain("e1", new NodeCommand(Duration.ofMinutes(5), null), "ann");
    commands.drain("e2", NO_DEADLINE, "ann");
    bench.submit(JobBench.command());
    assertThat(bench.place()).isZero();

    bench.database.transaction(
        handle ->
            handle.execute(
                "update node set duty_until = timestamp '2020-01-01 00:00:00' where name = 'e1'"));
    assertThat(views.require("e1").status()).isEqualTo(NodeStatus.ACTIVE);
    assertThat(bench.place()).isEqualTo(1);
  }

  @Test
  void invalidCommandsAreRefusedWithTheFieldAndTheFix() {
    refused(() -> commands.maintain("e1", NO_DEADLINE, "ann"), "duration");
    refused(
        () -> commands.drain("e1", new NodeCommand(Duration.ofDays(30), null), "ann"), "at most");
    refused(() -> commands.drain("e1", new NodeCommand(null, "x".repeat(1001)), "ann"), "reason");
    assertThatThrownBy(() -> commands.drain("e7", NO_DEADLINE, "ann"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_NODE));
  }

  @Test
  void aNodeIsShownWithItsCapacityAndBookings() {
    bench.register(
        new NodeRegistration(
            JobBench.E1,
            "e1",
            URI.create("http://127.0.0.1:1"),
            new NodeCapacity(2, 1.5, 1L << 30, Map.of("gpu", 2), true),
            List.of("default"),
            Map.of("os", "linux"),
            "0.4",
            List.of()));
    bench.database.transaction(
        handle ->
            handle.execute(
                "insert into booking (job_id, attempt_number, node_id, slots, kind, running,"
                    + " stop_asked, cpu_millis, memory_bytes, resources) values (1, 1, '"
                    + JobBench.E1
                    + "', 1, 'SUBMITTED', true, false, 500, 1000, '{\"gpu\":1}')"));
    ExecutionNodeView view = views.require("e1");
    assertThat(view.capacity())
        .isEqualTo(new NodeCapacity(2, 1.5, 1L << 30, Map.of("gpu", 2), true));
    assertThat(view.usedSlots()).isEqualTo(1);
    assertThat(view.usedCpus()).isEqualTo(0.5);
    assertThat(view.usedMemoryBytes()).isEqualTo(1000);
    assertThat(view.usedResources()).isEqualTo(Map.of("gpu", 1));
    assertThat(view.version()).isEqualTo("0.4");
  }

  private AttemptId running() {
    commands.drain("e2", NO_DEADLINE, "ann");
    AttemptId attempt = new AttemptId(bench.submit(JobBench.command()), 1);
    assertThat(bench.place()).isEqualTo(1);
    bench.start(attempt);
    commands.undrain("e2", "ann");
    return attempt;
  }

  private boolean stopRequested(AttemptId attempt) {
    return bench.database.read(handle -> bench.attempts.of(handle, JobBench.E1)).stream()
        .anyMatch(booking -> booking.attempt().equals(attempt) && booking.stopRequested());
  }

  private static void refused(Runnable command, String words) {
    assertThatThrownBy(command::run)
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(words);
  }
}
