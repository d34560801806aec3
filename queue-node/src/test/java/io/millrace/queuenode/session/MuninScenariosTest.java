package io.millrace.queuenode.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionWorkerCalls.RegistrationOutcome;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerState;
import io.millrace.queuenode.session.SessionNode.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The seven scenarios of the tests of the job manager that sessions come from, by their names, over
 * HTTP on one node. Where its code differs from its design document, the document holds: a comment
 * says so. Then the four defects that its code has.
 */
class MuninScenariosTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @TempDir Path folder;
  private SessionNode node;

  @AfterEach
  void stop() {
    node.close();
  }

  private void start(int cap) {
    node = new SessionNode(folder, rules(cap));
  }

  private static SessionDefinition rules(int cap) {
    return SessionDefinition.of("/jobId").withMaxPerWorker(cap);
  }

  private void jobs(int from, int to) {
    for (int i = from; i <= to; i++) {
      node.event(Integer.toString(i), i + ".1");
    }
  }

  private SessionWorkerState state(Worker worker) {
    return node.worker(worker.id).state();
  }

  @Test
  void testConfigFile() {
    start(2);
    Worker worker = node.worker("w1").employed();
    jobs(1, 3);
    assertThat(worker.take()).containsExactly("1.1", "2.1");
    // Rules are part of the queue's definition and hold at the next look, without a file.
    node.define(rules(3).withHeartbeat(Duration.ofMinutes(2)).withMissed(4));
    assertThat(worker.take()).containsExactly("3.1");
    assertThat(worker.heartbeat().heartbeat()).isEqualTo(Duration.ofMinutes(2));
    node.pass(Duration.ofMinutes(7));
    assertThat(state(worker)).isEqualTo(SessionWorkerState.ABSENT);
    node.pass(Duration.ofMinutes(2));
    assertThat(state(worker)).isEqualTo(SessionWorkerState.RETIRED);
  }

  @Test
  void testRegisterWorker() {
    start(10);
    Worker first = node.worker("w1");
    assertThat(first.register().outcome()).isEqualTo(RegistrationOutcome.EMPLOYED);
    assertThat(state(first)).isEqualTo(SessionWorkerState.REGISTERED);
    first.heartbeat();
    first.leaves();
    assertThat(state(first)).isEqualTo(SessionWorkerState.RETIRED);
    assertThat(first.register().outcome()).isEqualTo(RegistrationOutcome.EMPLOYED);
    first.heartbeat();
    Worker second = node.worker("w2").employed();
    Worker third = node.worker("w3").employed();
    assertThat(node.workers())
        .extracting(one -> one.id())
        .containsExactly(first.id, second.id, third.id);
    jobs(1, 4);
    assertThat(first.take()).containsExactly("1.1", "4.1");
    assertThat(second.take()).containsExactly("2.1");
    assertThat(third.take()).containsExactly("3.1");
  }

  @Test
  void testWorkerHeartbeat() {
    start(10);
    Worker worker = node.worker("w1");
    assertThatThrownBy(worker::heartbeat)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_WORKER));
    worker.employed();
    node.pass(MINUTE.plusSeconds(1));
    assertThat(node.worker(worker.id).missed()).isEqualTo(1);
    worker.heartbeat();
    assertThat(node.worker(worker.id).missed()).isZero();
    node.pass(Duration.ofSeconds(179));
    assertThat(state(worker)).isEqualTo(SessionWorkerState.ABSENT);
    // The code retires at the fourth missed heartbeat; the document, and this, at the third.
    node.pass(Duration.ofSeconds(2));
    assertThat(state(worker)).isEqualTo(SessionWorkerState.RETIRED);
    assertThatThrownBy(worker::heartbeat)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_WORKER));
  }

  @Test
  void testAssignWork() {
    start(2);
    Worker first = node.worker("w1").employed();
    Worker second = node.worker("w2").employed();
    Worker third = node.worker("w3").employed();
    jobs(1, 6);
    node.event("1", "1.2");
    jobs(7, 7);
    assertThat(first.take()).containsExactly("1.1", "1.2", "4.1");
    assertThat(second.take()).containsExactly("2.1", "5.1");
    assertThat(third.take()).containsExactly("3.1", "6.1");
    assertThat(node.sessions.figures().get(SessionNode.QUEUE).sessions().unassigned()).isEqualTo(1);
    assertThat(node.sessions.show(SessionNode.QUEUE, "7").events()).hasSize(1);
  }

  @Test
  void testJobCompleted() {
    start(1);
    Worker first = node.worker("w1").employed();
    Worker second = node.worker("w2").employed();
    jobs(1, 4);
    assertThat(first.take()).containsExactly("1.1");
    assertThat(second.take()).containsExactly("2.1");
    assertThat(first.completes("1", 1)).containsExactly("3.1");
    assertThat(second.completes("2", 1)).containsExactly("4.1");
    jobs(5, 6);
    assertThat(second.completes("4", 1)).containsExactly("5.1");
    assertThat(first.completes("3", 1)).containsExactly("6.1");
  }

  @Test
  void testDeregisterWorker() {
    start(10);
    Worker first = node.worker("w1").employed();
    jobs(1, 1);
    node.event("1", "1.2");
    assertThat(first.take()).containsExactly("1.1", "1.2");
    first.leaves();
    assertThat(node.sessions.figures().get(SessionNode.QUEUE).sessions().unassigned()).isEqualTo(1);
    Worker second = node.worker("w2");
    second.register();
    assertThat(node.worker(second.id).sessions()).as("not before its first heartbeat").isZero();
    assertThat(second.take()).containsExactly("1.1", "1.2");
    Worker third = node.worker("w3").employed();
    second.leaves();
    assertThat(third.take()).as("a free colleague gets it at once").containsExactly("1.1", "1.2");
  }

  @Test
  void testDeregisteredJobsGoToTheBackAndThoseOfALostWorkerToTheFront() {
    start(2);
    Worker leaving = node.worker("w1").employed();
    jobs(1, 2);
    leaving.take();
    jobs(3, 3);
    // The code puts them at the front; the document, and this, at the back (M-12).
    leaving.leaves();
    Worker lost = node.worker("w2").employed();
    assertThat(lost.take()).containsExactly("3.1", "1.1");
    node.pass(Duration.ofMinutes(4));
    Worker third = node.worker("w3").employed();
    assertThat(third.take()).containsExactly("3.1", "1.1");
  }

  @Test
  void testAssignJobQueue() {
    start(1);
    List<Worker> workers =
        List.of(
            node.worker("w1").employed(),
            node.worker("w2").employed(),
            node.worker("w3").employed(),
            node.worker("w4").employed());
    jobs(1, 4);
    for (int i = 0; i < 4; i++) {
      assertThat(workers.get(i).take()).containsExactly((i + 1) + ".1");
    }
    jobs(5, 9);
    // Whoever completes a job gets the first that waits; nobody else's turn changes.
    assertThat(workers.get(2).completes("3", 1)).containsExactly("5.1");
    assertThat(workers.get(0).completes("1", 1)).containsExactly("6.1");
    assertThat(workers.get(3).completes("4", 1)).containsExactly("7.1");
    assertThat(workers.get(1).completes("2", 1)).containsExactly("8.1");
    assertThat(workers.get(2).completes("5", 1)).containsExactly("9.1");
    assertThat(workers.get(3).completes("7", 1)).isEmpty();
    jobs(10, 10);
    assertThat(workers.get(3).take()).containsExactly("10.1");
  }

  @Test
  void defectANewWorkerGetsAllThatItHasRoomForAndALostOnesJobsAreAllGivenOnAtOnce() {
    start(3);
    jobs(1, 6);
    Worker first = node.worker("w1").employed();
    assertThat(first.take()).containsExactly("1.1", "2.1", "3.1");
    Worker second = node.worker("w2").employed();
    assertThat(second.take()).containsExactly("4.1", "5.1", "6.1");
    Worker third = node.worker("w3").employed();
    second.leaves();
    assertThat(third.take()).containsExactly("4.1", "5.1", "6.1");
  }

  @Test
  void defectBAnAbsentWorkerGetsNoFurtherJobs() {
    start(10);
    Worker absent = node.worker("w1").employed();
    Worker present = node.worker("w2").employed();
    node.clock.advance(MINUTE.plusSeconds(1));
    present.heartbeat();
    node.look.look();
    assertThat(state(absent)).isEqualTo(SessionWorkerState.ABSENT);
    jobs(1, 3);
    assertThat(present.take()).containsExactly("1.1", "2.1", "3.1");
  }

  @Test
  void defectCOnlyOneOutcomeOfAJobCounts() {
    start(10);
    Worker former = node.worker("w1").employed();
    jobs(1, 1);
    former.take();
    node.pass(Duration.ofMinutes(4));
    Worker next = node.worker("w2").employed();
    assertThat(next.take()).containsExactly("1.1");
    assertThatThrownBy(() -> former.completes("1", 1))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_WORKER));
    // It comes back with the number under which it had the job.
    former.register();
    assertThat(former.poll(0, Duration.ZERO, former.result("1", 1, ResultKind.COMPLETED)).answers())
        .extracting(ResultAnswer::outcome)
        .containsExactly(ResultOutcome.STALE);
    next.completes("1", 1);
    assertThat(node.sessions.figures().get(SessionNode.QUEUE).sessions().completed()).isEqualTo(1);
  }

  @Test
  void defectDAWorkerWhoseRegistrationWasAnsweredInVainIsAnsweredAgainAndStarts() {
    start(10);
    Worker worker = node.worker("w1");
    worker.register();
    assertThat(worker.register().outcome()).isEqualTo(RegistrationOutcome.REPEATED);
    jobs(1, 1);
    assertThat(worker.take()).containsExactly("1.1");
  }
}
