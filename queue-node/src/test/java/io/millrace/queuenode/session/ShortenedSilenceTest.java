package io.millrace.queuenode.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerState;
import io.millrace.queuenode.session.SessionNode.Worker;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worker works on by the deadline that it was told, whatever the definition says since. */
class ShortenedSilenceTest {
  private static final SessionDefinition LONG =
      SessionDefinition.of("/jobId").withHeartbeat(Duration.ofMinutes(1)).withMissed(3);
  private static final SessionDefinition SHORT = LONG.withHeartbeat(Duration.ofSeconds(4));
  private static final Duration TOLD = Duration.ofSeconds(165);

  @TempDir Path folder;
  private SessionNode node;
  private Worker worker;
  private Worker other;

  @BeforeEach
  void start() {
    node = new SessionNode(folder, LONG);
    worker = node.worker("w1").employed();
    other = node.worker("w2").employed();
    node.event("1", "a");
    assertThat(worker.take()).containsExactly("a");
    other.heartbeat();
  }

  @AfterEach
  void stop() {
    node.close();
  }

  @Test
  void itsSessionsStayUntilItHasCertainlyStopped() {
    node.define(SHORT);
    node.pass(TOLD.minusSeconds(1));
    assertThat(node.worker(worker.id).state()).isEqualTo(SessionWorkerState.ABSENT);
    node.pass(Duration.ofSeconds(2));
    assertThat(node.worker(worker.id).state()).isEqualTo(SessionWorkerState.RETIRED);
  }

  @Test
  void theNextAnswerTellsItTheNewOne() {
    node.define(SHORT);
    PollAnswered answer = worker.heartbeat();
    assertThat(answer.heartbeat()).isEqualTo(Duration.ofSeconds(4));
    assertThat(answer.deadline()).isEqualTo(Duration.ofSeconds(11));
  }

  @Test
  void theNewOneHoldsAloneOnceNobodyCanGoByTheOld() {
    node.define(SHORT);
    for (Duration passed = Duration.ZERO;
        passed.compareTo(Duration.ofMinutes(4)) < 0;
        passed = passed.plusSeconds(4)) {
      node.pass(Duration.ofSeconds(4));
      worker.heartbeat();
    }
    node.pass(Duration.ofSeconds(13));
    assertThat(node.worker(worker.id).state()).isEqualTo(SessionWorkerState.RETIRED);
  }

  @Test
  void aLongerOneIsInForceAtOnce() {
    node.define(SHORT);
    worker.heartbeat();
    node.define(LONG.withMissed(10));
    assertThat(worker.heartbeat().deadline()).isEqualTo(Duration.ofSeconds(585));
    node.pass(Duration.ofSeconds(599));
    assertThat(node.worker(worker.id).state()).isEqualTo(SessionWorkerState.ABSENT);
  }
}
