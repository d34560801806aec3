package io.millrace.tests.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobView;
import io.millrace.api.pacing.PacingRound;
import io.millrace.api.pacing.PacingRound.PacedDecision;
import io.millrace.api.pacing.PacingRound.PacingAnswer;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import io.millrace.api.task.RunStep;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What only an attempt may do needs its secret: its number is no secret, and can be guessed. */
class AttemptSecretTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  @Test
  void onlyTheManagersOwnAttemptPacesAQueue() {
    CLUSTER.define(
        "{kind: queue, name: guarded, minSegments: 1, worker: {command: ['true']},"
            + " pacing: {tick: 1h}}");
    AttemptId manager =
        Awaitility.await("its queue manager")
            .atMost(Duration.ofSeconds(30))
            .until(AttemptSecretTest::manager, Optional::isPresent)
            .orElseThrow();
    // The node runs the attempt; that is not enough either.
    CentralClient node = CLUSTER.as("e1");
    for (String secret :
        new String[] {null, "", "x", CLUSTER.secret(new AttemptId(manager.job(), 99))}) {
      assertThat(refusal(node, manager, secret)).isEqualTo(ErrorCode.FORBIDDEN.name());
    }
    assertThat(workers()).isZero();
    assertThat(refusal(node, manager, CLUSTER.secret(manager))).isEmpty();
    Awaitility.await("the worker that the manager asked for")
        .atMost(Duration.ofSeconds(30))
        .until(() -> workers() == 1);
  }

  private static String refusal(CentralClient node, AttemptId attempt, String secret) {
    PacingRecord record =
        new PacingRecord(
            attempt, 1, "demand", "NONE", "test", Map.of(), Json.mapper().createObjectNode());
    PacingRound round =
        new PacingRound(List.of(new PacedDecision("guarded", "q1", record, secret)), List.of());
    return node.pace(round).refused().stream()
        .map(PacingAnswer::problem)
        .map(problem -> problem.code())
        .findFirst()
        .orElse("");
  }

  private static Optional<AttemptId> manager() {
    return CLUSTER.central().queue("guarded").managers().stream()
        .filter(one -> one.attempt() > 0)
        .map(one -> new AttemptId(one.id(), one.attempt()))
        .findFirst();
  }

  private static int workers() {
    List<JobView> jobs = CLUSTER.central().jobs("kind=worker&queue=guarded").jobs();
    return jobs.size();
  }

  @Test
  void aStepOfATaskNeedsTheSecretOfItsAttempt() {
    CentralClient node = CLUSTER.as("e1");
    RunStep step = new RunStep(new AttemptId(1, 1), RunStep.Kind.NOTE, 0, null, null);
    assertThatThrownBy(() -> node.tasks().step(1, step, "guessed"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
  }

  /** It contains the definition of the task, with the environment of its job. */
  @Test
  void whatATaskManagerReadsNeedsTheSecretOfItsAttempt() {
    String yaml =
        "{kind: task, name: guarded-run, job: {command: ['true'], requires: memory >= 64TB,"
            + " env: {PASSWORD: xyz}}}";
    CLUSTER.central().apply(new ApplyRequest(List.of(new SourceFile("task.yaml", yaml)), false));
    long run = CLUSTER.central().tasks().run("guarded-run").id();
    long job =
        Awaitility.await("its task manager")
            .atMost(Duration.ofSeconds(30))
            .until(() -> CLUSTER.central().tasks().details(run).run().manager(), Objects::nonNull);
    AttemptId manager = new AttemptId(job, 1);
    AttemptId other = new AttemptId(job + 1_000, 1);
    CentralClient node = CLUSTER.as("e1");

    assertThat(conduct(node, run, manager, "guessed")).isEqualTo(ErrorCode.FORBIDDEN.name());
    assertThat(conduct(node, run, manager, CLUSTER.secret(other)))
        .isEqualTo(ErrorCode.FORBIDDEN.name());
    assertThat(conduct(node, run, other, CLUSTER.secret(other)))
        .isEqualTo(ErrorCode.STALE_ATTEMPT.name());
    AttemptId next = new AttemptId(job, 2);
    assertThat(conduct(node, run, next, CLUSTER.secret(next)))
        .as("an attempt of the manager that is not the current one")
        .isEqualTo(ErrorCode.STALE_ATTEMPT.name());
    assertThat(conduct(node, run, manager, CLUSTER.secret(manager))).isEqualTo("xyz");
    CLUSTER.central(Role.OPERATOR).tasks().stop(run);
  }

  private static String conduct(CentralClient node, long run, AttemptId attempt, String secret) {
    try {
      return node.tasks()
          .conduct(run, attempt, secret, Duration.ZERO)
          .definition()
          .job()
          .env()
          .get("PASSWORD");
    } catch (MillraceException e) {
      return e.code().name();
    }
  }
}
