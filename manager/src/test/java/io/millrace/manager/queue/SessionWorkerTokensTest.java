package io.millrace.manager.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.session.SessionWorkerToken;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.identity.TokenVerifier;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionWorkerTokensTest {
  private static final AttemptId RUNS = new AttemptId(7, 2);

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
  private QueueWorld world;
  private SessionWorkerTokens tokens;
  private TokenVerifier queueNode;

  @BeforeEach
  void aQueueOfSessionsAndAnotherOne() {
    world = new QueueWorld(folder.resolve("database"));
    world.apply(
        "{kind: queue, name: orders, sessions: {key: order}}\n---\n{kind: queue, name: alert}");
    Path keys = folder.resolve("tokens");
    KeyFiles.ensure(keys);
    TokenIssuer issuer = new TokenIssuer(KeyFiles.privateKey(keys), clock);
    tokens = new SessionWorkerTokens(issuer, world.queues, Set.of(RUNS)::contains);
    queueNode =
        new TokenVerifier(
            KeyFiles.publicKey(keys.resolve(KeyFiles.PUBLIC)), clock, "queue-node/q1");
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aProgramOutsideGetsATokenOfItsQueueForAnHourAndNoRoleOfItsPerson() {
    SessionWorkerToken issued = tokens.outside("orders", Principal.of(Role.ADMIN, "ann"));

    Principal worker = queueNode.verify(issued.token()).orElseThrow();
    assertThat(worker.role()).isEqualTo(Role.WORKER);
    assertThat(worker.queue()).contains("orders");
    assertThat(worker.attempt()).isEmpty();
    assertThat(worker.subject()).contains("ann");
    assertThat(issued.validFor()).isEqualTo(Duration.ofHours(1));
    assertThat(issued.toString()).doesNotContain(issued.token());
    // Clocks may differ by as much as it was valid.
    clock.stepWall(issued.validFor().multipliedBy(2));
    assertThat(queueNode.verify(issued.token())).isEmpty();
  }

  @Test
  void anAttemptGetsItsNextTokenForSomeHoursWhileItIsTheCurrentOne() {
    SessionWorkerToken issued = tokens.ofJob("orders", RUNS);

    assertThat(queueNode.verify(issued.token()))
        .isEqualTo(Optional.of(Principal.worker("orders", RUNS)));
    assertThat(issued.validFor()).isEqualTo(Duration.ofHours(4));
    refused(ErrorCode.FORBIDDEN, () -> tokens.ofJob("orders", new AttemptId(7, 1)));
  }

  @Test
  void onlyQueuesOfSessionsHaveSessionWorkers() {
    tokens.requireSessions("orders");
    refused(ErrorCode.UNKNOWN_SESSION, () -> tokens.requireSessions("alert"));
    refused(ErrorCode.UNKNOWN_QUEUE, () -> tokens.requireSessions("nothing"));
  }

  private static void refused(ErrorCode code, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            MillraceException.class, refusal -> assertThat(refusal.code()).isEqualTo(code));
  }
}
