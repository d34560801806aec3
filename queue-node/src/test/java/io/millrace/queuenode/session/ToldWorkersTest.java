package io.millrace.queuenode.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.session.RetirementRequest;
import io.millrace.api.session.SessionDefinition;
import io.millrace.queuenode.session.SessionNode.Worker;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a worker was told is kept only while it is registered and its polls wait. */
class ToldWorkersTest {
  private static final SessionDefinition RULES = SessionDefinition.of("/jobId");

  @TempDir private Path folder;
  private SessionNode node;
  private Worker worker;

  @BeforeEach
  void tellAWorkerToLeave() {
    node = new SessionNode(folder, RULES);
    worker = node.worker("w").employed();
    retire(true);
    assertThat(worker.poll(10, Duration.ofSeconds(20)).leave()).isTrue();
    assertThat(told()).isOne();
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private void retire(boolean ask) {
    node.operator().post(worker.path() + "/retirement", new RetirementRequest(ask));
  }

  private int told() {
    return node.sessions.polls().told();
  }

  @Test
  void itIsForgottenWhenTheWorkerLeaves() {
    worker.leaves();
    assertThat(told()).isZero();
  }

  @Test
  void itIsForgottenWhenTheWorkerIsRetired() {
    retire(false);
    assertThat(told()).isZero();
  }

  @Test
  void itIsForgottenWhenTheWorkerWasSilentForTooLong() {
    node.pass(RULES.heartbeat().multipliedBy(10));
    assertThat(told()).isZero();
  }

  @Test
  void itIsForgottenWhenTheQueueIsRemoved() {
    assertThat(node.sessions.remove(SessionNode.QUEUE, 1, true)).isFalse();
    assertThat(told()).isZero();
  }

  @Test
  void itIsForgottenWhenAPollIsAnsweredThatDoesNotWait() {
    assertThat(worker.heartbeat().leave()).isTrue();
    assertThat(told()).isZero();
  }
}
