package io.millrace.api.client;

import static io.millrace.api.client.FakeSessionNode.event;
import static io.millrace.api.client.FakeSessionNode.session;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.SessionNodes.NodePlace;
import io.millrace.api.session.SessionWorkerCalls;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One session whose results a queue node does not take costs no other session its worker. */
@Timeout(60)
class SessionLimitsTest {
  private static final int BODY = 8 << 20;
  private final FakeSessionNode node = new FakeSessionNode();
  private SessionConsumer<String> worker;

  @AfterEach
  void end() {
    if (worker != null) {
      worker.close();
    }
  }

  private void start(NotingHandler handler) {
    SessionNodes nodes =
        new SessionNodes() {
          @Override
          public List<NodePlace> current() {
            return List.of(new NodePlace("q1", URI.create("http://q1")));
          }

          @Override
          public ApiClient at(URI address) {
            return new ApiClient(node, new Endpoints(List.of(address)), () -> "t");
          }
        };
    SessionWorkerOptions options =
        SessionWorkerOptions.of("orders").withThreads(2).withPatience(Duration.ofMillis(200));
    worker = new SessionConsumer<>(options, nodes, handler, () -> 0);
    worker.start();
  }

  @Test
  void aSnapshotAboveTheLimitFailsItsEventAndNothingElse() throws InterruptedException {
    node.delivers(session("small", "1.1", event(1)), session("big", "1.1", event(1)));
    start(
        new NotingHandler() {
          @Override
          public void onEvent(OpenSession<String> session, SessionEvent event) {
            int size = session.key().equals("big") ? SessionWorkerCalls.LARGEST_SNAPSHOT : 8;
            session.snapshot("x".repeat(size - 2 + (session.key().equals("big") ? 1 : 0)));
          }
        });
    node.awaitResult("big", ResultKind.FAILED, 0);
    node.awaitResult("big", ResultKind.RELEASED, 0);
    node.awaitResult("small", ResultKind.SNAPSHOT, 1);
    assertThat(node.resultsOf("big").get(0).reason())
        .contains("the snapshot of session 'big' has 4,194,305 bytes as JSON");
    assertThat(node.registrations).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = ErrorCode.class,
      names = {"INVALID_REQUEST", "MALFORMED_BODY"})
  void aResultThatTheNodeRefusesCostsOnlyItsSession(ErrorCode refusal) throws InterruptedException {
    node.refuses("bad", refusal);
    node.delivers(
        IntStream.range(0, 20)
            .mapToObj(n -> session(n == 7 ? "bad" : "k" + n, "1.1", event(1), event(2)))
            .toArray(SessionDelivery[]::new));
    NotingHandler handler = new NotingHandler();
    start(handler);
    handler.await("problem ACKNOWLEDGED of session 'bad' was refused");
    handler.await("problem RELEASED of session 'bad' was refused");
    handler.await("close bad");
    for (int n = 0; n < 20; n++) {
      if (n != 7) {
        node.awaitResult("k" + n, ResultKind.ACKNOWLEDGED, 2);
      }
    }
    node.awaitNextPoll();
    assertThat(node.registrations).hasSize(1);
    assertThat(handler.lines()).filteredOn(line -> line.startsWith("lost")).hasSize(1);
    synchronized (node) {
      assertThat(node.polls.get(node.polls.size() - 1).results()).isEmpty();
    }
  }

  /** An Error in what is called at the end of a session. */
  @Test
  void whateverAProgramRaisesItsSessionsAreGivenBackAndItsWorkerGoesOn()
      throws InterruptedException {
    node.refuses("bad", ErrorCode.INVALID_REQUEST);
    node.delivers(session("bad", "1.1", event(1)), session("a", "1.1", event(1)));
    start(
        new NotingHandler() {
          @Override
          public void onEvent(OpenSession<String> session, SessionEvent event) {
            if (session.key().equals("a")) {
              throw new IllegalStateException("no");
            }
          }

          @Override
          public void onLost(String key, Duration left) {
            throw new AssertionError("lost " + key);
          }

          @Override
          public void onClose(String key) {
            throw new AssertionError("close " + key);
          }

          @Override
          public void onProblem(String node, MillraceException problem) {
            throw new AssertionError(problem);
          }
        });
    node.awaitResult("a", ResultKind.RELEASED, 0);
    node.refuses(null, null);
    node.delivers(session("b", "1.1", event(1)));
    node.awaitResult("b", ResultKind.ACKNOWLEDGED, 1);
    assertThat(node.registrations).hasSize(1);
  }

  @Test
  void theEventWhoseResultIsTooLargeHasFailedAndItsSessionIsGivenBack()
      throws InterruptedException {
    start(
        new NotingHandler() {
          @Override
          public void onEvent(OpenSession<String> session, SessionEvent event) throws Exception {
            super.onEvent(session, event);
            if (event.n() == 2) {
              // From here on, until the program is told of it.
              node.refuses("a", ErrorCode.BODY_TOO_LARGE);
              session.snapshot("state");
            }
          }

          @Override
          public void onLost(String key, Duration left) {
            super.onLost(key, left);
            node.refuses(null, null);
          }
        });
    node.delivers(session("a", "1.1", event(1)));
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 1);
    node.delivers(session("a", "1.1", event(2)));
    node.awaitResult("a", ResultKind.FAILED, 1);
    node.awaitResult("a", ResultKind.RELEASED, 1);
    assertThat(node.resultsOf("a"))
        .filteredOn(one -> one.kind() == ResultKind.FAILED)
        .singleElement()
        .extracting(SessionResult::reason)
        .asString()
        .contains("SNAPSHOT of session 'a' was refused");
  }

  @Test
  void aPollIsNeverLargerThanANodeTakes() throws InterruptedException {
    HeldSessions<String> book =
        new HeldSessions<>(
            new NotingHandler() {
              @Override
              public void onEvent(OpenSession<String> session, SessionEvent event) {
                // Each letter is written as six, and half a one cannot be written at all.
                session.fail("\u0001".repeat(1_999) + "\ud83d\ude00");
              }
            },
            new KeyedThreads("limits", 2),
            () -> 0,
            10_000,
            0);
    book.begin(0, TimeUnit.MINUTES.toNanos(1));
    List<SessionDelivery> sessions = new ArrayList<>();
    for (int n = 0; n < 1_500; n++) {
      sessions.add(session("k" + n, "1.1", event(1)));
    }
    Duration minute = Duration.ofMinutes(1);
    book.answered(
        new PollAnswered(1, List.of(), sessions, List.of(), false, minute, minute), 0, List.of());
    book.awaitWork();
    int reported = 0;
    while (reported < 1_500) {
      List<SessionResult> results = book.results(2);
      assertThat(results).isNotEmpty();
      reported += results.size();
      SessionPoll poll = new SessionPoll(UUID.randomUUID(), 2, 10, null, results);
      assertThat(Json.writeBytes(poll)).hasSizeLessThan(BODY);
    }
  }

  @Test
  void noMoreEventsAreAskedForThanANodeGives() {
    HeldSessions<String> book =
        new HeldSessions<>(new NotingHandler(), new KeyedThreads("room", 1), () -> 0, 1_000_000, 0);
    assertThat(book.room()).isEqualTo(10_000);
  }
}
