package io.millrace.manager.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.session.RetirementRequest;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionView.SessionCommand;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SessionWorkerState;
import io.millrace.api.session.SlotTable;
import io.millrace.manager.queue.SessionOperations.FoundSessions;
import io.millrace.manager.queue.SessionOperations.FoundWorkers;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.SignedCalls;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionOperationsTest {
  private static final Principal ANN = Principal.of(Role.OPERATOR, "ann");
  private static final UUID WORKER = new UUID(0, 7);
  private static final String KEY = "order-17";
  private static final int SLOT = SessionKey.slot(KEY);

  @TempDir Path folder;
  private final SegmentHosts hosts = new SegmentHosts();
  private SlotTable slots = SlotTable.of(Map.of("q1", 1000));
  private SegmentCalls calls;
  private QueueWorld world;
  private SessionOperations sessions;

  @BeforeEach
  void threeNodesOfWhichTwoHoldTheQueue() {
    world = new QueueWorld(folder.resolve("database"));
    Path tokens = folder.resolve("tokens");
    KeyFiles.ensure(tokens);
    CallSigner signer = CallSigner.ofCentralManager(KeyFiles.privateKey(tokens));
    calls = new SegmentCalls(new SignedCalls(hosts, signer, new SystemClock()));
    sessions =
        new SessionOperations(
            world.queues,
            world.nodes,
            calls,
            queue -> Optional.of(new QueueWeights(queue, 1, slots.points(), slots)));
    world.apply(
        "{kind: queue, name: orders, sessions: {key: order}}\n---\n{kind: queue, name: alert}");
    world.report("q1", QueueWorld.segment("orders", "q1", 5, 5));
    world.report("q2", QueueWorld.segment("orders", "q2", 5, 5));
    world.report("q3", QueueWorld.segment("alert", "q3", 5, 5));
  }

  @AfterEach
  void close() {
    calls.stop();
    world.close();
  }

  @Test
  void sessionsOfAllNodesComePageByPageEachOnce() {
    hosts.answers("q1", call -> page(call, "q1", "a", "b", "c"));
    hosts.answers("q2", call -> page(call, "q2", "d", "e", "f"));

    List<String> seen = new ArrayList<>();
    String after = null;
    int pages = 0;
    do {
      FoundSessions found = sessions.list("orders", "open", WORKER, after, 2, ANN);
      assertThat(found.page().sessions()).hasSizeLessThanOrEqualTo(2);
      found.page().sessions().forEach(one -> seen.add(one.node() + " " + one.key()));
      after = found.page().next();
      pages++;
    } while (after != null && pages < 10);

    assertThat(seen).containsExactly("q1 a", "q1 b", "q1 c", "q2 d", "q2 e", "q2 f");
    assertThat(hosts.calls.get(0).uri().getQuery())
        .contains("state=open", "worker=" + WORKER, "limit=2");
  }

  @Test
  void aSilentNodeIsNamedAndTheOthersAreListed() {
    hosts.answers("q2", call -> page(call, "q2", "d"));

    FoundSessions found = sessions.list("orders", null, null, null, 10, ANN);

    assertThat(found.unreached()).containsExactly("q1");
    assertThat(found.page().sessions()).extracting(SessionView::key).containsExactly("d");
    assertThat(found.page().next()).isNull();
  }

  @Test
  void whatBeginsNoPageIsRefused() {
    refused(
        ErrorCode.INVALID_REQUEST,
        "the next of the page before",
        () -> sessions.list("orders", null, null, "nowhere", 10, ANN));
  }

  @Test
  void aSessionIsAskedForAtTheOwnerOfItsSlot() {
    hosts.answers("q1", call -> details("q1"));
    hosts.answers("q2", call -> details("q2"));
    slots = SlotTable.of(Map.of("q1", 500, "q2", 500));

    String owner = SLOT < 500 ? "q1" : "q2";
    assertThat(sessions.show("orders", KEY, ANN).session().node()).isEqualTo(owner);
    assertThat(hosts.calls).hasSize(1);
    assertThat(hosts.calls.get(0).uri().getRawQuery()).isEqualTo("key=" + KEY);
  }

  @Test
  void whatHasNotArrivedYetIsAskedForAtTheEarlierOwnerTheLatestFirst() {
    slots =
        slots
            .with(List.of(SLOT), owner -> owner.passedTo("q3"))
            .with(List.of(SLOT), owner -> owner.passedTo("q2"));
    hosts.answers("q1", call -> details("q1"));
    hosts.answers("q2", call -> new MillraceException(ErrorCode.UNKNOWN_SESSION, "none"));
    hosts.answers("q3", call -> new MillraceException(ErrorCode.UNKNOWN_SEGMENT, "none"));

    assertThat(sessions.show("orders", KEY, ANN).session().node()).isEqualTo("q1");
    assertThat(hosts.calls)
        .extracting(call -> call.uri().getHost())
        .containsExactly("q2", "q3", "q1");
  }

  @Test
  void aSessionThatNobodyHasIsUnknownAndOneOfASilentNodeIsOutOfReach() {
    hosts.answers("q1", call -> new MillraceException(ErrorCode.UNKNOWN_SESSION, "none"));
    refused(
        ErrorCode.UNKNOWN_SESSION,
        "'millrace session list orders'",
        () -> sessions.show("orders", KEY, ANN));

    slots = SlotTable.of(Map.of("q2", 1000));
    refused(
        ErrorCode.UNREACHABLE,
        "q2, which has the slot " + SLOT,
        () -> sessions.show("orders", KEY, ANN));
    slots = SlotTable.of(Map.of("q9", 1000));
    refused(ErrorCode.UNREACHABLE, "q9", () -> sessions.show("orders", KEY, ANN));
  }

  @Test
  void anAnswerThatIsTooLargeIsNotSaidToBeMissing() {
    hosts.answers("q1", call -> new SegmentHosts.OversizedAnswer());
    refused(
        ErrorCode.INTERNAL,
        "q1, which has the slot " + SLOT + " of that key, answers, but with more than the 4MB",
        () -> sessions.show("orders", KEY, ANN));
  }

  @Test
  void anActionGoesToTheNodeThatHasTheSessionAndItsRefusalComesBack() {
    hosts.answers("q1", call -> Map.of());
    SessionCommand command = SessionCommand.of(SessionAction.CLOSE, KEY, "an error");

    sessions.act("orders", command, ANN);

    HttpCall call = hosts.calls.get(0);
    assertThat(call.method()).isEqualTo("POST");
    assertThat(call.uri().getPath()).isEqualTo("/v1/queues/orders/session-actions");
    hosts.answers("q1", refusing -> new MillraceException(ErrorCode.CONFLICT, "it is completed"));
    refused(ErrorCode.CONFLICT, "it is completed", () -> sessions.act("orders", command, ANN));
    refused(
        ErrorCode.INVALID_REQUEST,
        "action is missing",
        () -> sessions.act("orders", SessionCommand.of(null, KEY, null), ANN));
    refused(
        ErrorCode.INVALID_REQUEST,
        "key is missing",
        () -> sessions.act("orders", SessionCommand.of(SessionAction.DROP, " ", null), ANN));
  }

  @Test
  void workersOfAllNodesAreListedTogether() {
    hosts.answers("q1", call -> List.of(worker("q1"), worker("q1")));
    hosts.answers("q2", call -> List.of(worker("q2")));

    FoundWorkers found = sessions.workers("orders", ANN);

    assertThat(found.workers())
        .extracting(SessionWorkerView::node)
        .containsExactly("q1", "q1", "q2");
    assertThat(found.unreached()).isEmpty();
  }

  @Test
  void aWorkerIsRetiredAtTheNodesThatKnowIt() {
    hosts.answers("q1", call -> new MillraceException(ErrorCode.UNKNOWN_WORKER, "not here"));
    hosts.answers("q2", call -> Map.of());

    sessions.retire("orders", WORKER, new RetirementRequest(true), ANN);

    assertThat(hosts.calls)
        .extracting(call -> call.uri().getPath())
        .containsOnly("/v1/queues/orders/session-workers/" + WORKER + "/retirement");
    hosts.answers("q2", call -> new MillraceException(ErrorCode.UNKNOWN_WORKER, "not here"));
    refused(
        ErrorCode.UNKNOWN_WORKER,
        "no worker " + WORKER,
        () -> sessions.retire("orders", WORKER, new RetirementRequest(false), ANN));
  }

  @Test
  void aWorkerMayStillBeRegisteredWhereNobodyAnswers() {
    hosts.answers("q1", call -> Map.of());

    refused(
        ErrorCode.UNREACHABLE,
        "q2 did not answer",
        () -> sessions.retire("orders", WORKER, new RetirementRequest(false, "hangs"), ANN));
  }

  @Test
  void aQueueWithoutSessionsHasNone() {
    refused(
        ErrorCode.UNKNOWN_SESSION,
        "alert has no sessions",
        () -> sessions.list("alert", null, null, null, 10, ANN));
    refused(ErrorCode.UNKNOWN_QUEUE, "no queue 'other'", () -> sessions.workers("other", ANN));
  }

  /** Sessions of a node after the key that is asked for. */
  private static SessionPage page(HttpCall call, String node, String... keys) {
    Map<String, String> query = query(call);
    int limit = Integer.parseInt(query.get("limit"));
    String after = query.getOrDefault("after", "");
    List<SessionView> left =
        List.of(keys).stream()
            .filter(key -> key.compareTo(after) > 0)
            .map(key -> session(key, node))
            .toList();
    List<SessionView> page = left.subList(0, Math.min(limit, left.size()));
    return new SessionPage(
        page, left.size() > page.size() ? page.get(page.size() - 1).key() : null);
  }

  private static Map<String, String> query(HttpCall call) {
    Map<String, String> query = new HashMap<>();
    for (String part : call.uri().getQuery().split("&")) {
      String[] pair = part.split("=", 2);
      query.put(pair[0], pair[1]);
    }
    return query;
  }

  private static SessionDetails details(String node) {
    return new SessionDetails(session(KEY, node), List.of());
  }

  private static SessionView session(String key, String node) {
    return new SessionView(
        key,
        node,
        SessionKey.slot(key),
        SessionState.OPEN,
        new SessionNumber(1, 1),
        WORKER,
        null,
        3,
        1,
        Instant.EPOCH,
        Instant.EPOCH,
        2,
        null);
  }

  private static SessionWorkerView worker(String node) {
    return new SessionWorkerView(
        WORKER, null, node, "orders", SessionWorkerState.AVAILABLE, null, 3, 10, 1, 0, 0, 5, false);
  }

  private static void refused(ErrorCode code, String words, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class, refusal -> assertThat(refusal.code()).isEqualTo(code))
        .hasMessageContaining(words);
  }
}
