package io.millrace.api.client;

import static io.millrace.api.client.FakeSessionNode.event;
import static io.millrace.api.client.FakeSessionNode.session;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.BootClock;
import io.millrace.api.client.SessionNodes.NodePlace;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the work on a session ends, and what it has to do with giving it back. */
@Timeout(60)
class SessionEndsTest {
  private static final Duration GRACE = Duration.ofSeconds(30);
  private final FakeSessionNode node = new FakeSessionNode();
  private final Map<String, FakeSessionNode> nodes = new TreeMap<>(Map.of("q1", node));
  private final AtomicLong now = new AtomicLong();
  private final CountDownLatch gate = new CountDownLatch(1);
  private final CountDownLatch closeGate = new CountDownLatch(1);
  private SessionConsumer<String> worker;

  @AfterEach
  void end() {
    gate.countDown();
    closeGate.countDown();
    node.silent(false);
    if (worker != null) {
      worker.close();
    }
  }

  private final NotingHandler handler =
      new NotingHandler() {
        @Override
        public void onEvent(OpenSession<String> session, SessionEvent event) throws Exception {
          super.onEvent(session, event);
          if (session.key().equals("held")) {
            assertThat(gate.await(20, TimeUnit.SECONDS)).isTrue();
          } else if (session.key().equals("fails")) {
            session.fail("no");
          }
        }

        @Override
        public void onClose(String key) {
          super.onClose(key);
          if (key.equals("slow")) {
            try {
              closeGate.await(20, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        }
      };

  private final SessionNodes found =
      new SessionNodes() {
        @Override
        public List<NodePlace> current() {
          synchronized (nodes) {
            return nodes.keySet().stream()
                .map(name -> new NodePlace(name, URI.create("http://" + name)))
                .toList();
          }
        }

        @Override
        public ApiClient at(URI address) {
          return new ApiClient(
              nodes.get(address.getHost()), new Endpoints(List.of(address)), () -> "t");
        }
      };

  private void start(Duration grace, Integer cap) {
    SessionWorkerOptions options =
        SessionWorkerOptions.of("orders")
            .withThreads(2)
            .withCap(cap)
            .withGrace(grace)
            .withPatience(Duration.ofMillis(200));
    worker = new SessionConsumer<>(options, found, handler, now::get);
    worker.start();
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  /** That time passes, and polls are answered until just before its end. */
  private void passWithAnswers(Duration time) throws InterruptedException {
    pass(time.minusNanos(1));
    node.awaitNextPoll();
    pass(Duration.ofNanos(1));
  }

  @Test
  void theWorkOnARevokedSessionIsToldTheGraceBeforeTheDeadlineAndEndsBeforeItIsGivenBack()
      throws InterruptedException {
    node.delivers(session("held", "1.1", event(1)));
    start(GRACE, null);
    handler.await("held 1");
    node.revokes("held", "1.1");
    node.awaitNextPoll();
    passWithAnswers(FakeSessionNode.DEADLINE.minus(GRACE).minusNanos(1));
    assertThat(handler.lines()).containsExactly("held 1");
    pass(Duration.ofNanos(1));
    handler.await("lost held in 30s");
    node.awaitNextPoll();
    pass(GRACE);
    node.awaitNextPoll();
    assertThat(node.resultsOf("held")).as("it still works").isEmpty();
    gate.countDown();
    node.awaitResult("held", ResultKind.RELEASED, 0);
    assertThat(handler.lines()).containsExactly("held 1", "lost held in 30s", "close held");
  }

  @Test
  void aSessionThatIsBeingClosedIsToldOfItsDeadlineToo() throws InterruptedException {
    node.delivers(session("slow", "1.1", event(1)));
    start(GRACE, null);
    node.awaitResult("slow", ResultKind.ACKNOWLEDGED, 1);
    node.revokes("slow", "1.1");
    handler.await("close slow");
    passWithAnswers(FakeSessionNode.DEADLINE.minus(GRACE));
    handler.await("lost slow in 30s");
    closeGate.countDown();
    node.awaitResult("slow", ResultKind.RELEASED, 1);
  }

  @Test
  void withoutContactTheWorkIsToldInTimeAndTheWorkerRegistersAnewWhenItHasEnded()
      throws InterruptedException {
    node.delivers(session("held", "1.1", event(1)));
    start(GRACE, null);
    handler.await("held 1");
    node.silent(true);
    pass(FakeSessionNode.DEADLINE.minus(GRACE));
    handler.await("lost held in 30s");
    node.silent(false);
    node.delivers(session("b", "1.1", event(1)));
    // Whoever registers as a new process gives its sessions to others at once.
    assertThat(node.registrations).hasSize(1);
    gate.countDown();
    node.awaitResult("b", ResultKind.ACKNOWLEDGED, 1);
    assertThat(node.registrations).hasSize(2);
    assertThat(node.resultsOf("held")).isEmpty();
    assertThat(handler.lines().indexOf("close held")).isPositive();
  }

  @Test
  void aGraceLongerThanAThirdOfTheDeadlineLeavesTimeForAnswers() throws InterruptedException {
    node.delivers(session("held", "1.1", event(1)));
    start(Duration.ofHours(1), null);
    handler.await("held 1");
    node.silent(true);
    pass(FakeSessionNode.DEADLINE.dividedBy(3).multipliedBy(2).minusNanos(1));
    node.silent(false);
    node.awaitNextPoll();
    assertThat(handler.lines()).containsExactly("held 1");
  }

  @Test
  void aSessionThatEndedAtTheNodeIsDroppedWhenItIsRevoked() throws InterruptedException {
    // As after too many failures: the node parks it, and the worker has it until it is told.
    node.delivers(session("fails", "1.1", event(1)));
    start(Duration.ZERO, null);
    node.awaitResult("fails", ResultKind.FAILED, 0);
    node.awaitNextPoll();
    assertThat(handler.lines()).containsExactly("fails 1");
    node.says(ResultKind.RELEASED, ResultOutcome.UNKNOWN).revokes("fails", "1.1");
    node.awaitResult("fails", ResultKind.RELEASED, 0);
    node.awaitNextPoll();
    assertThat(handler.lines()).containsExactly("fails 1", "close fails");
    assertThat(node.resultsOf("fails")).extracting(SessionResult::kind).hasSize(2);
  }

  @Test
  void anEventInWorkOfASessionThatEndedAtTheNodeIsToldAtTheDeadline() throws InterruptedException {
    node.says(ResultKind.RELEASED, ResultOutcome.UNKNOWN);
    node.delivers(session("held", "1.1", event(1)));
    start(Duration.ZERO, null);
    handler.await("held 1");
    node.revokes("held", "1.1");
    node.awaitNextPoll();
    passWithAnswers(FakeSessionNode.DEADLINE);
    handler.await("lost held in 0s");
    node.awaitResult("held", ResultKind.RELEASED, 0);
    gate.countDown();
    handler.await("close held");
    node.awaitNextPoll();
    assertThat(node.resultsOf("held")).hasSize(1);
  }

  @Test
  void anEarlierNumberOfASessionIsGivenBackAndTheLaterOneGoesOn() throws InterruptedException {
    node.delivers(session("a", "1.2", event(1)));
    start(Duration.ZERO, null);
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 1);
    node.says(ResultKind.RELEASED, ResultOutcome.STALE).revokes("a", "1.1");
    node.awaitResult("a", ResultKind.RELEASED, 0);
    node.delivers(session("a", "1.2", event(2)));
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 2);
    assertThat(handler.lines()).containsExactly("a 1", "a 2");
  }

  @Test
  void aWorkerLeavesWhenTheProgramHasClosedItsSessions() throws InterruptedException {
    node.delivers(session("slow", "1.1", event(1)));
    start(Duration.ZERO, null);
    node.awaitResult("slow", ResultKind.ACKNOWLEDGED, 1);
    worker.leave();
    handler.await("close slow");
    // It keeps its registration meanwhile.
    node.awaitNextPoll();
    assertThat(node.left).isEmpty();
    closeGate.countDown();
    worker.awaitEnd();
    assertThat(node.left).hasSize(1);
  }

  @Test
  void aWorkerThatLeavesPausesBeforeItAsksANodeThatIsAwayAgain() throws InterruptedException {
    node.delivers(session("held", "1.1", event(1)));
    start(Duration.ZERO, null);
    handler.await("held 1");
    node.silent(true);
    worker.leave();
    node.awaitNextPoll();
    long begun = System.nanoTime();
    int before = node.pollsSoFar();
    node.await("four more polls", () -> node.polls.size() >= before + 4);
    assertThat(System.nanoTime() - begun)
        .as("three pauses lie between four polls")
        .isGreaterThan(3 * SessionAttachment.FIRST_PAUSE_NANOS);
  }

  @Test
  void nodesThatComeGetTheirShareOfTheCapFromThoseThatWereThere() throws InterruptedException {
    start(Duration.ZERO, 9);
    node.await("a registration", () -> node.registrations.size() == 1);
    FakeSessionNode other = new FakeSessionNode();
    synchronized (nodes) {
      nodes.put("q2", other);
    }
    worker.look();
    node.await("another registration", () -> node.registrations.size() == 2);
    other.await("a registration", () -> !other.registrations.isEmpty());
    assertThat(node.registrations).extracting(WorkerRegistration::cap).containsExactly(9, 4);
    assertThat(other.registrations).extracting(WorkerRegistration::cap).containsExactly(4);
    assertThat(node.registrations)
        .extracting(WorkerRegistration::incarnation)
        .containsOnly(node.registrations.get(0).incarnation());
    synchronized (nodes) {
      nodes.remove("q2");
    }
    worker.look();
    node.await("a third registration", () -> node.registrations.size() == 3);
    assertThat(node.registrations.get(2).cap()).isEqualTo(9);
  }

  @Test
  void aLostAnswerToAChangeOfTheCapDoesNotHideARetirement() throws InterruptedException {
    node.delivers(session("held", "1.1", event(1)));
    start(Duration.ZERO, 9);
    handler.await("held 1");
    node.retiresTheWorkerAndLosesTheAnswerToItsRegistration();
    synchronized (nodes) {
      nodes.put("q2", new FakeSessionNode());
    }
    worker.look();
    handler.await("lost held in 0s");
    gate.countDown();
  }

  @Test
  void aWorkerThatWasRetiredBeforeItsCapChangedForgetsItsSessions() throws InterruptedException {
    node.delivers(session("held", "1.1", event(1)));
    start(Duration.ZERO, 9);
    handler.await("held 1");
    node.retiresTheWorkerBeforeItRegisters();
    synchronized (nodes) {
      nodes.put("q2", new FakeSessionNode());
    }
    worker.look();
    handler.await("lost held in 0s");
    gate.countDown();
    node.await("a third registration", () -> node.registrations.size() == 3);
    assertThat(node.registrations)
        .extracting(WorkerRegistration::change)
        .as("only the second one is of a process that is registered")
        .containsExactly(false, true, false);
    assertThat(node.registrations.get(2).incarnation())
        .as("a new process")
        .isNotEqualTo(node.registrations.get(1).incarnation());
    node.delivers(session("held", "1.2", event(1)));
    node.awaitResult("held", ResultKind.ACKNOWLEDGED, 1);
    assertThat(node.resultsOf("held"))
        .extracting(one -> one.number().toString())
        .containsOnly("1.2");
  }

  @Test
  void theTimeOfASuspensionCounts() {
    worker = new SessionConsumer<>(SessionWorkerOptions.of("orders"), found, handler);
    assertThat(worker.nanoTime).isInstanceOf(BootClock.class);
  }
}
