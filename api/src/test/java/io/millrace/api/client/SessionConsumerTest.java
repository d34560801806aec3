package io.millrace.api.client;

import static io.millrace.api.client.FakeSessionNode.event;
import static io.millrace.api.client.FakeSessionNode.session;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.SessionNodes.NodePlace;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SessionConsumerTest {
  private final FakeSessionNode node = new FakeSessionNode();
  private final Map<String, FakeSessionNode> nodes = new TreeMap<>(Map.of("q1", node));
  private final AtomicLong now = new AtomicLong();
  private final Journal journal = new Journal();
  private SessionConsumer<List<Long>> worker;

  @AfterEach
  void end() {
    nodes.values().forEach(one -> one.silent(false));
    journal.gate.countDown();
    worker.close();
  }

  @Test
  void eventsOfASessionAreHandledInOrderAndAcknowledged() throws InterruptedException {
    node.delivers(session("a", "1.1", event(1), event(2)));
    start();
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 2);
    assertThat(journal.lines()).containsExactly("open a null", "a 1", "a 2");
  }

  @Test
  void aRepeatedEventIsIgnored() throws InterruptedException {
    node.delivers(session("a", "1.1", event(1), event(2)));
    start();
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 2);
    node.delivers(session("a", "1.1", event(1), event(2), event(3)));
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 3);
    assertThat(journal.lines()).containsExactly("open a null", "a 1", "a 2", "a 3");
  }

  @Test
  void aPollWithoutAnAnswerIsRepeatedUnchangedAndItsEventsAreHandledOnce()
      throws InterruptedException {
    node.loses(2).delivers(session("a", "1.1", event(1)));
    start();
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 1);
    synchronized (node) {
      SessionPoll first = node.polls.get(0);
      assertThat(node.polls).startsWith(first, first, first);
      assertThat(node.polls.get(3).poll()).isEqualTo(2);
    }
    assertThat(journal.lines()).containsExactly("open a null", "a 1");
  }

  @Test
  void aSuccessorBeginsWithTheSnapshotAndReplaysTheRest() throws InterruptedException {
    journal.onEvent =
        (session, event) -> {
          if (event.n() == 2) {
            session.snapshot(session.state());
          }
        };
    node.delivers(session("a", "1.1", event(1), event(2)));
    start();
    node.awaitResult("a", ResultKind.SNAPSHOT, 2);
    JsonNode kept =
        node.resultsOf("a").stream()
            .filter(one -> one.kind() == ResultKind.SNAPSHOT)
            .findFirst()
            .orElseThrow()
            .snapshot();
    assertThat(kept).isEqualTo(Json.read("[1,2]", JsonNode.class));

    // As a predecessor elsewhere had acknowledged the third event.
    node.delivers(
        new SessionDelivery("a", SessionNumber.of("2.1"), 3, kept, 3, List.of(event(3), event(4))));
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 4);
    assertThat(journal.lines())
        .containsExactly(
            "open a null", "a 1", "a 2", "lost a", "close a", "open a [1,2]", "a 3 again", "a 4");
    assertThat(node.resultsOf("a").get(node.resultsOf("a").size() - 1).number())
        .isEqualTo(SessionNumber.of("2.1"));
  }

  @Test
  void aSessionIsNeverInWorkTwiceEvenIfAnotherNodeHasItNow() throws InterruptedException {
    FakeSessionNode other = new FakeSessionNode();
    nodes.put("q2", other);
    journal.holdAt("a", 1);
    node.delivers(session("a", "1.1", event(1)));
    start();
    journal.began.await();
    other.delivers(session("a", "2.1", event(1)), session("b", "1.1", event(1)));
    other.awaitResult("b", ResultKind.ACKNOWLEDGED, 1);
    assertThat(journal.lines()).doesNotContain("a 1");
    journal.gate.countDown();
    other.awaitResult("a", ResultKind.ACKNOWLEDGED, 1);
  }

  @Test
  void severalSessionsAreInWorkAtTheSameTime() throws InterruptedException {
    CyclicBarrier both = new CyclicBarrier(2);
    journal.onEvent = (session, event) -> both.await(20, TimeUnit.SECONDS);
    node.delivers(session("a", "1.1", event(1)), session("b", "1.1", event(1)));
    start();
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 1);
    node.awaitResult("b", ResultKind.ACKNOWLEDGED, 1);
  }

  @Test
  void afterTheDeadlineNothingIsBegunOrReportedAndTheWorkerRegistersAsANewProcess()
      throws InterruptedException {
    journal.holdAt("a", 1);
    node.delivers(session("a", "1.1", event(1), event(2)));
    start();
    journal.began.await();
    node.silent(true);
    now.addAndGet(FakeSessionNode.DEADLINE.toNanos());
    journal.await("lost a");
    journal.gate.countDown();
    node.silent(false);
    node.await("another registration", () -> node.registrations.size() == 2);
    node.delivers(session("b", "1.1", event(1)));
    node.awaitResult("b", ResultKind.ACKNOWLEDGED, 1);
    assertThat(node.resultsOf("a")).isEmpty();
    assertThat(journal.lines()).contains("a 1", "close a").doesNotContain("a 2");
    synchronized (node) {
      assertThat(node.registrations.get(0).incarnation())
          .isNotEqualTo(node.registrations.get(1).incarnation());
    }
  }

  @Test
  void aDeadlineCountsFromBeforeTheCall() throws InterruptedException {
    node.delivers(session("a", "1.1", event(1)));
    journal.holdAt("a", 1);
    start();
    journal.began.await();
    // Polls come while the event is in work, and each one gives it more time.
    now.addAndGet(FakeSessionNode.DEADLINE.toNanos() - 1);
    node.awaitNextPoll();
    now.addAndGet(FakeSessionNode.DEADLINE.toNanos() - 1);
    journal.gate.countDown();
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 1);
    assertThat(node.registrations).hasSize(1);
  }

  @Test
  void aWorkerThatTheNodeDoesNotKnowForgetsItsSessionsAndRegistersAgain()
      throws InterruptedException {
    node.delivers(session("a", "1.1", event(1)));
    start();
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 1);
    node.retiresTheWorker();
    journal.await("close a");
    node.await("another registration", () -> node.registrations.size() == 2);
    node.delivers(session("a", "1.2", event(1), event(2)));
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 2);
    assertThat(journal.lines())
        .containsExactly("open a null", "a 1", "lost a", "close a", "open a null", "a 1", "a 2");
    synchronized (node) {
      assertThat(node.registrations)
          .extracting(WorkerRegistration::incarnation)
          .doesNotHaveDuplicates();
      assertThat(node.polls.get(node.polls.size() - 1).incarnation())
          .isEqualTo(node.registrations.get(1).incarnation());
    }
  }

  @Test
  void aSessionWhoseResultIsStaleIsForgotten() throws InterruptedException {
    node.says(ResultKind.ACKNOWLEDGED, ResultOutcome.STALE).delivers(session("a", "1.1", event(1)));
    start();
    journal.await("close a");
    assertThat(journal.lines()).containsExactly("open a null", "a 1", "lost a", "close a");
  }

  @Test
  void aRevokedSessionIsGivenBackWhenTheEventInWorkIsDone() throws InterruptedException {
    journal.holdAt("a", 1);
    node.delivers(session("a", "1.1", event(1), event(2)));
    start();
    journal.began.await();
    node.revokes("a", "1.1");
    node.awaitNextPoll();
    assertThat(node.resultsOf("a")).isEmpty();
    journal.gate.countDown();
    node.awaitResult("a", ResultKind.RELEASED, 1);
    assertThat(journal.lines()).containsExactly("open a null", "a 1", "close a");
  }

  @Test
  void theWorkOnARevokedSessionIsCutOffAtTheDeadlineOfTheCallThatToldIt()
      throws InterruptedException {
    journal.holdAt("a", 1);
    journal.onEvent = (session, event) -> journal.note("current " + session.isCurrent());
    node.delivers(session("a", "1.1", event(1), event(2)));
    start();
    journal.began.await();
    node.revokes("a", "1.1");
    node.awaitNextPoll();
    // Calls are answered all the time, but give it no more time.
    now.addAndGet(FakeSessionNode.DEADLINE.toNanos() - 1);
    node.awaitNextPoll();
    assertThat(node.resultsOf("a")).isEmpty();
    now.addAndGet(1);
    journal.await("lost a");
    node.awaitResult("a", ResultKind.RELEASED, 0);
    node.delivers(session("a", "1.2", event(1), event(2)));
    journal.gate.countDown();
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 2);
    assertThat(journal.lines())
        .startsWith("open a null", "lost a", "a 1", "current false", "close a")
        .endsWith("a 1", "current true", "a 2", "current true");
    assertThat(node.resultsOf("a"))
        .extracting(one -> one.number() + " " + one.kind())
        .containsOnlyOnce("1.1 RELEASED")
        .doesNotContain("1.1 ACKNOWLEDGED");
    assertThat(node.registrations).hasSize(1);
  }

  @Test
  void aRevokedSessionOfWhichTheWorkerKnowsNothingIsGivenBack() throws InterruptedException {
    start();
    node.revokes("a", "1.1");
    node.awaitResult("a", ResultKind.RELEASED, 0);
    assertThat(journal.lines()).isEmpty();
  }

  @Test
  void aCompletionThatDoesNotCoverAllEventsLetsTheSessionGoOn() throws InterruptedException {
    node.says(ResultKind.COMPLETED, ResultOutcome.CONTINUES);
    journal.onEvent = (session, event) -> session.complete();
    node.delivers(session("a", "1.1", event(1)));
    start();
    node.awaitResult("a", ResultKind.COMPLETED, 1);
    node.says(ResultKind.COMPLETED, ResultOutcome.DONE).delivers(session("a", "1.1", event(2)));
    node.awaitResult("a", ResultKind.COMPLETED, 2);
    journal.await("close a");
    assertThat(journal.lines()).containsExactly("open a null", "a 1", "a 2", "close a");
  }

  @Test
  void aFailedEventComesAgainWithTheStateAsItWas() throws InterruptedException {
    journal.onEvent =
        (session, event) -> {
          if (event.n() == 2 && event.attempt() == 1) {
            session.fail("not yet");
          }
        };
    node.delivers(session("a", "1.1", event(1), event(2), event(3)));
    start();
    node.awaitResult("a", ResultKind.FAILED, 1);
    assertThat(node.resultsOf("a"))
        .filteredOn(one -> one.kind() == ResultKind.FAILED)
        .extracting(SessionResult::reason)
        .containsExactly("not yet");
    SessionEvent again = new SessionEvent(2, "e2", event(2).storedAt(), 2, null, event(2).data());
    node.delivers(session("a", "1.1", again, event(3)));
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 3);
    assertThat(journal.lines()).containsExactly("open a null", "a 1", "a 2", "a 2", "a 3");
  }

  @Test
  void afterAnExceptionTheSessionIsGivenBackSoThatItsStateIsBuiltAnew()
      throws InterruptedException {
    journal.onEvent =
        (session, event) -> {
          throw new IllegalStateException("half done");
        };
    node.delivers(session("a", "1.1", event(1)));
    start();
    node.awaitResult("a", ResultKind.RELEASED, 0);
    assertThat(node.resultsOf("a"))
        .extracting(SessionResult::kind)
        .containsExactly(ResultKind.FAILED, ResultKind.RELEASED);
    assertThat(node.resultsOf("a").get(0).reason()).contains("half done");
    assertThat(journal.lines()).containsExactly("open a null", "a 1", "close a");
  }

  @Test
  void aSessionThatIsGivenBackIsNotChargedWithAFailure() throws InterruptedException {
    journal.onEvent = (session, event) -> session.giveBack();
    node.delivers(session("a", "1.1", event(1)));
    start();
    node.awaitResult("a", ResultKind.RELEASED, 0);
    assertThat(node.resultsOf("a"))
        .extracting(SessionResult::kind)
        .containsExactly(ResultKind.RELEASED);
  }

  @Test
  void aSessionMayBeGivenBackWithAFailure() throws InterruptedException {
    journal.onEvent =
        (session, event) -> {
          session.fail("its file is gone");
          session.giveBack();
        };
    node.delivers(session("a", "1.1", event(1)));
    start();
    node.awaitResult("a", ResultKind.RELEASED, 0);
    assertThat(node.resultsOf("a"))
        .extracting(SessionResult::kind)
        .containsExactly(ResultKind.FAILED, ResultKind.RELEASED);
  }

  @Test
  void aWorkerThatCannotRegisterMayGiveUp() throws InterruptedException {
    node.silent(true);
    start(options().withGiveUpAfter(Duration.ZERO));
    worker.awaitEnd();
    assertThat(node.registrations).isEmpty();
  }

  @Test
  void aWorkerThatIsAskedToLeaveReportsWhatIsDoneAndEnds() throws InterruptedException {
    journal.holdAt("a", 1);
    node.delivers(session("a", "1.1", event(1), event(2)));
    start();
    journal.began.await();
    node.asksToLeave();
    node.awaitNextPoll();
    journal.gate.countDown();
    worker.awaitEnd();
    assertThat(node.resultsOf("a")).extracting(SessionResult::through).containsExactly(1L);
    assertThat(node.left).hasSize(1);
    assertThat(journal.lines()).containsExactly("open a null", "a 1", "close a");
  }

  @Test
  void closingReportsWhatIsDoneAndEndsAllThreads() throws InterruptedException {
    node.delivers(session("a", "1.1", event(1)));
    start();
    journal.await("a 1");
    worker.close();
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 1);
    assertThat(node.left).containsExactly(node.registrations.get(0).incarnation());
    assertThat(Thread.getAllStackTraces().keySet())
        .filteredOn(Thread::isAlive)
        .extracting(Thread::getName)
        .noneMatch(name -> name.startsWith("session-poll-orders"));
  }

  @Test
  void theCapIsDividedAmongTheNodesAndAtLeastOneEach() throws InterruptedException {
    FakeSessionNode other = new FakeSessionNode();
    nodes.put("q2", other);
    start(options().withCap(5));
    node.await("a registration", () -> !node.registrations.isEmpty());
    assertThat(node.registrations.get(0).cap()).isEqualTo(2);
    worker.close();
    start(options().withCap(1));
    other.await("another registration", () -> other.registrations.size() == 2);
    assertThat(other.registrations.get(1).cap()).isEqualTo(1);
  }

  @Test
  void noMoreEventsAreAskedForThanFit() throws InterruptedException {
    journal.holdAt("a", 1);
    node.delivers(session("a", "1.1", event(1), event(2), event(3)));
    start(options().withMaxBuffered(4));
    journal.began.await();
    node.await("a poll for one event", () -> node.polls.get(node.polls.size() - 1).max() == 1);
    node.delivers(session("a", "1.1", event(4)));
    node.await("a poll for none", () -> node.polls.get(node.polls.size() - 1).max() == 0);
  }

  private static SessionWorkerOptions options() {
    return SessionWorkerOptions.of("orders")
        .withThreads(2)
        .withPatience(Duration.ofMillis(200))
        .withLeaveWithin(Duration.ofSeconds(20));
  }

  private void start() {
    start(options());
  }

  private void start(SessionWorkerOptions options) {
    worker = new SessionConsumer<>(options, new FakeNodes(), journal, now::get);
    worker.start();
  }

  private final class FakeNodes implements SessionNodes {
    @Override
    public List<NodePlace> current() {
      return nodes.keySet().stream()
          .map(name -> new NodePlace(name, URI.create("http://" + name)))
          .toList();
    }

    @Override
    public ApiClient at(URI address) {
      return new ApiClient(
          nodes.get(address.getHost()), new Endpoints(List.of(address)), () -> "token");
    }
  }

  /** What a handler does with an event, besides noting it. */
  private interface Reaction {
    @SuppressWarnings("checkstyle:IllegalThrows") // a program may fail in any way
    void to(SessionHandler.OpenSession<List<Long>> session, SessionEvent event) throws Exception;
  }

  /** A handler that notes what it was called for, and keeps the places of the events. */
  private static final class Journal implements SessionHandler<List<Long>> {
    private final CountDownLatch began = new CountDownLatch(1);
    private final CountDownLatch gate = new CountDownLatch(1);
    // Guarded by this.
    private final List<String> lines = new ArrayList<>();
    private final Map<List<Long>, String> keys = new IdentityHashMap<>();
    private volatile Reaction onEvent = (session, event) -> {};
    private String heldKey;
    private long heldAt;

    /** Handles that event only when the gate is open, the first time. */
    synchronized void holdAt(String key, long n) {
      heldKey = key;
      heldAt = n;
    }

    synchronized List<String> lines() {
      return List.copyOf(lines);
    }

    synchronized void await(String line) throws InterruptedException {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (!lines.contains(line)) {
        long more = end - System.nanoTime();
        assertThat(more).as("%s is not in %s", line, lines).isPositive();
        TimeUnit.NANOSECONDS.timedWait(this, more);
      }
    }

    private synchronized void note(String line) {
      lines.add(line);
      notifyAll();
    }

    @Override
    public List<Long> open(String key, JsonNode snapshot) {
      List<Long> state = new ArrayList<>();
      if (snapshot != null) {
        snapshot.forEach(one -> state.add(one.asLong()));
      }
      synchronized (this) {
        keys.put(state, key);
      }
      note("open " + key + " " + snapshot);
      return state;
    }

    @Override
    public void onEvent(OpenSession<List<Long>> session, SessionEvent event) throws Exception {
      boolean held;
      synchronized (this) {
        held = session.key().equals(heldKey) && event.n() == heldAt;
      }
      if (held) {
        began.countDown();
        assertThat(gate.await(20, TimeUnit.SECONDS)).isTrue();
      }
      session.state().add(event.data().asLong());
      note(session.key() + " " + event.n() + (session.isReplayed(event) ? " again" : ""));
      onEvent.to(session, event);
    }

    @Override
    public void onLost(List<Long> state) {
      note("lost " + key(state));
    }

    @Override
    public void onClose(List<Long> state) {
      note("close " + key(state));
    }

    private synchronized String key(List<Long> state) {
      return keys.get(state);
    }

    @Override
    public void onProblem(String name, MillraceException problem) {
      synchronized (this) {
        notifyAll();
      }
    }
  }
}
