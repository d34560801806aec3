package io.millrace.queuenode.session;

import static io.millrace.queuenode.session.SessionNode.QUEUE;
import static io.millrace.queuenode.session.SessionNode.envelope;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.QueueActionAnswer.PurgeRequest;
import io.millrace.api.event.ReceiptAnswer.Acknowledgement;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.api.job.AttemptId;
import io.millrace.api.session.RetirementRequest;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionView.SessionActed;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionView.SessionCommand;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionMoment;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionWorkerCalls;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistered;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import io.millrace.api.session.SessionWorkerState;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.queuenode.session.SessionNode.Worker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What producers, workers and operators of a queue of sessions are answered over HTTP. */
class SessionApiTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  @TempDir Path folder;
  private SessionNode node;

  @BeforeEach
  void start() {
    node = new SessionNode(folder, SessionDefinition.of("/jobId"));
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private static ErrorCode code(HttpAnswer answer) {
    return ErrorCode.valueOf(Json.read(answer.body(), Problem.class).code());
  }

  private int registers(Principal caller, String job) {
    String worker = "/v1/queues/" + SessionNode.QUEUE + "/session-workers/" + UUID.randomUUID();
    WorkerRegistration registration = new WorkerRegistration(UUID.randomUUID(), null, "w", job);
    try {
      return node.api(caller).send(HttpCall.put(URI.create(worker), registration)).status();
    } catch (MillraceException e) {
      return e.code().status();
    }
  }

  @Test
  void aWorkerNamesOnlyItsOwnAttemptSinceQueueManagersEndWorkersByTheirJobs() {
    Principal attempt = Principal.worker(SessionNode.QUEUE, new AttemptId(17, 2));
    assertThat(registers(attempt, "17.2")).isEqualTo(200);
    assertThat(registers(attempt, null)).isEqualTo(200);
    assertThat(registers(attempt, "17.1")).isEqualTo(403);
    Principal outside = Principal.sessionWorker(SessionNode.QUEUE, "ann");
    assertThat(registers(outside, null)).isEqualTo(200);
    assertThat(registers(outside, "17.2")).isEqualTo(403);
    assertThat(registers(Principal.of(Role.OPERATOR, "ann"), "17.2")).isEqualTo(403);
    assertThat(registers(Principal.sessionWorker("other", "ann"), null)).isEqualTo(403);
  }

  @Test
  void aRequestIsAnsweredEventByEvent() {
    HttpAnswer all = node.events(envelope("1", "a"), envelope("2", "b"));
    assertThat(all.status()).isEqualTo(200);
    assertThat(all.as(SendAnswer.class).accepted()).isEqualTo(2);

    HttpAnswer some = node.events(envelope("1", "c"), "{\"id\":\"d\",\"data\":{}}");
    assertThat(some.status()).isEqualTo(207);
    SendAnswer answer = Json.read(some.body(), SendAnswer.class);
    assertThat(answer.accepted()).isEqualTo(1);
    assertThat(answer.refused())
        .singleElement()
        .satisfies(
            refused -> {
              assertThat(refused.index()).isEqualTo(1);
              assertThat(refused.id()).isEqualTo("d");
              assertThat(refused.key()).isNull();
              assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
              assertThat(refused.message()).contains("/jobId");
            });

    HttpAnswer none = node.events("{\"id\":\"e\",\"data\":{}}", "{\"id\":\"f\",\"data\":7}");
    assertThat(none.status()).isEqualTo(400);
    assertThat(none.text()).contains("as all 2 events");
  }

  @Test
  void eventsThatAreSentAgainAreStoredOnce() {
    node.events(envelope("1", "a"), envelope("1", "b"));
    SendAnswer again = node.events(envelope("1", "a"), envelope("1", "b")).as(SendAnswer.class);
    assertThat(again.accepted()).isEqualTo(2);
    assertThat(again.repeated()).isTrue();
    assertThat(node.worker("w").employed().take()).containsExactly("a", "b");
  }

  @Test
  void delaysAndPrioritiesAreRefusedWithAReason() {
    HttpAnswer delayed = node.events("{\"id\":\"a\",\"delay\":\"10s\",\"data\":{\"jobId\":\"1\"}}");
    assertThat(delayed.status()).isEqualTo(400);
    assertThat(delayed.text()).contains("delivered in the order in which they come");
    HttpAnswer urgent =
        node.events(envelope("1", "b"), "{\"id\":\"c\",\"priority\":3,\"data\":{\"jobId\":\"1\"}}");
    assertThat(urgent.status()).isEqualTo(207);
  }

  @Test
  void aSnapshotThatIsTooLargeIsRefusedWithItsSessionAndTheLimit() {
    node.event("17", "a");
    Worker worker = node.worker("w").employed();
    worker.take();
    int most = SessionWorkerCalls.LARGEST_SNAPSHOT;
    assertThatThrownBy(() -> worker.poll(0, Duration.ZERO, snapshot(worker, most + 1)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageContaining("the session '17'")
        .hasMessageContaining("the most are 4194304");
    assertThat(worker.poll(0, Duration.ZERO, snapshot(worker, most)).answers())
        .extracting(ResultAnswer::outcome)
        .containsExactly(ResultOutcome.DONE);
  }

  private static SessionResult snapshot(Worker worker, int bytes) {
    SessionResult plain = worker.result("17", 1, ResultKind.SNAPSHOT);
    TextNode state = TextNode.valueOf("s".repeat(bytes - 2));
    return new SessionResult("17", plain.number(), 1, ResultKind.SNAPSHOT, state, null);
  }

  @Test
  void theEpochOfAnEarlierOwnershipIsRefused() {
    int slot = SessionKey.slot("1");
    String late = "{\"id\":\"a\",\"slotEpoch\":7,\"data\":{\"jobId\":\"1\"}}";
    HttpAnswer answer = node.events(late);
    assertThat(answer.status()).isEqualTo(409);
    assertThat(code(answer)).isEqualTo(ErrorCode.STALE_SLOT);
    assertThat(node.events(late.replace(":7", ":1")).status()).isEqualTo(200);
    assertThat(node.events(late.replace(":7", ":-1")).text()).contains("slotEpoch");
    assertThat(node.sessions.show(QUEUE, "1").session().slot()).isEqualTo(slot);
  }

  @Test
  void aboveTheCapOnlyEventsThatOpenSessionsAreRefused() {
    node.define(SessionDefinition.of("/jobId").withMaxUnassigned(2));
    node.events(envelope("1", "a"), envelope("2", "b"));
    HttpAnswer full = node.events(envelope("3", "c"), envelope("3", "d"));
    assertThat(full.status()).isEqualTo(429);
    assertThat(code(full)).isEqualTo(ErrorCode.SESSIONS_FULL);
    assertThat(full.headers()).containsEntry("retry-after", "1");
    HttpAnswer mixed = node.events(envelope("4", "e"), envelope("1", "f"), envelope("4", "g"));
    assertThat(mixed.status()).isEqualTo(207);
    assertThat(mixed.headers()).containsEntry("retry-after", "1");
    assertThat(Json.read(mixed.body(), SendAnswer.class).refused())
        .extracting(RefusedEvent::id)
        .containsExactly("e", "g");
    node.worker("w").employed();
    assertThat(node.events(envelope("3", "c"), envelope("3", "d")).status()).isEqualTo(200);
  }

  @Test
  void aCompletedKeyIsRefused() {
    node.event("1", "a");
    Worker worker = node.worker("w").employed();
    worker.take();
    worker.completes("1", 1);
    HttpAnswer again = node.events(envelope("1", "b"));
    assertThat(again.status()).isEqualTo(409);
    assertThat(code(again)).isEqualTo(ErrorCode.DUPLICATE);
  }

  @Test
  void aSnapshotAboveTheLimitIsRefusedAndChangesNothing() {
    node.event("1", "a");
    Worker worker = node.worker("w").employed();
    worker.take();
    SessionResult plain = worker.result("1", 1, ResultKind.SNAPSHOT);
    String text = "x".repeat(SessionWorkerCalls.LARGEST_SNAPSHOT);
    SessionResult large =
        new SessionResult("1", plain.number(), 1, plain.kind(), new TextNode(text), null);
    assertThatThrownBy(() -> worker.poll(0, Duration.ZERO, large))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("the snapshot of the session '1' has 4194306 bytes, the most are")
        .extracting(e -> ((MillraceException) e).code())
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(worker.done("1", 1).answers().get(0).outcome()).isEqualTo(ResultOutcome.DONE);
    SessionResult fits =
        new SessionResult(
            "1", plain.number(), 1, plain.kind(), new TextNode(text.substring(2)), null);
    worker.poll(0, Duration.ZERO, fits);
  }

  @Test
  void dataAreCheckedAgainstTheSchemaIfTheQueueHasOne() {
    JsonNode schema = Json.read("{\"properties\":{\"event\":{\"maxLength\":2}}}", JsonNode.class);
    node.define(SessionDefinition.of("/jobId").withSchema(schema));
    assertThat(node.events(envelope("1", "a")).status()).isEqualTo(200);
    HttpAnswer refused = node.events(envelope("1", "long"));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text()).contains("/event");
  }

  @Test
  void whatComesAfterAnEventThatDoesNotMatchIsRefusedIfItHasTheSameKey() {
    JsonNode schema = Json.read("{\"properties\":{\"event\":{\"maxLength\":2}}}", JsonNode.class);
    node.define(SessionDefinition.of("/jobId").withSchema(schema));
    HttpAnswer answer =
        node.events(
            envelope("1", "a"),
            envelope("1", "long"),
            envelope("2", "b"),
            envelope("1", "c"),
            envelope("1", "d"));
    assertThat(answer.status()).isEqualTo(207);
    SendAnswer sent = Json.read(answer.body(), SendAnswer.class);
    assertThat(sent.accepted()).isEqualTo(2);
    assertThat(sent.refused()).extracting(RefusedEvent::index).containsExactly(1, 3, 4);
    assertThat(sent.refused())
        .extracting(RefusedEvent::code)
        .containsOnly(ErrorCode.INVALID_REQUEST);
    assertThat(sent.refused().get(2).message()).startsWith("an earlier event of its key, long, is");
    assertThat(node.sessions.show(QUEUE, "1").session().accepted()).isEqualTo(1);
  }

  @Test
  void eventsWhoseChecksTakeTooLongTogetherAreStoredAsFarAsTheyGo() {
    JsonNode schema =
        Json.read(
            "{\"properties\":{\"event\":{\"$ref\":\"#/$defs/list\"}},\"$defs\":{\"list\":"
                + "{\"uniqueItems\":true,\"items\":{\"$ref\":\"#/$defs/list\"}}}}",
            JsonNode.class);
    node.define(SessionDefinition.of("/jobId").withSchema(schema));
    String list = "[".repeat(80) + "\"" + "x".repeat(200_000) + "\"" + "]".repeat(80);
    String[] large =
        Stream.of("a", "b", "c", "d")
            .map(id -> envelope(id, id).replace("\"event\":\"" + id + "\"", "\"event\":" + list))
            .toArray(String[]::new);

    HttpAnswer some = node.events(large);

    assertThat(some.status()).isEqualTo(207);
    assertThat(some.headers()).containsEntry("retry-after", "1");
    assertThat(Json.read(some.body(), SendAnswer.class).refused())
        .extracting(RefusedEvent::id, RefusedEvent::code)
        .containsExactly(tuple("c", ErrorCode.RATE_LIMITED), tuple("d", ErrorCode.RATE_LIMITED));
    assertThat(node.events(large[2], large[3]).status()).isEqualTo(200);
  }

  @Test
  void aWorkerLearnsUntilWhenItMayWork() {
    WorkerRegistered registered = node.worker("w").register();
    assertThat(registered.heartbeat()).isEqualTo(Duration.ofMinutes(1));
    assertThat(registered.deadline()).isEqualTo(Duration.ofSeconds(165));
    assertThat(
            SessionRules.deadline(
                SessionDefinition.of("k").withHeartbeat(Duration.ofMillis(200)).withMissed(3)))
        .isEqualTo(Duration.ofMillis(500));
  }

  @Test
  void aPatientPollIsAnsweredAsSoonAsAnEventIsThere() throws Exception {
    Worker worker = node.worker("w").employed();
    CompletableFuture<PollAnswered> waiting =
        CompletableFuture.supplyAsync(() -> worker.poll(10, LONG));
    Awaitility.await().until(() -> node.sessions.waitingPolls() == 1);
    node.event("1", "a");
    assertThat(Worker.ids(waiting.get(10, TimeUnit.SECONDS))).containsExactly("a");
  }

  @Test
  void aNewerPollOfAWorkerEndsTheOneThatWaits() throws Exception {
    Worker worker = node.worker("w").employed();
    CompletableFuture<PollAnswered> older =
        CompletableFuture.supplyAsync(() -> worker.repeated(2, 10, LONG));
    Awaitility.await().until(() -> node.sessions.waitingPolls() == 1);
    CompletableFuture<PollAnswered> newer =
        CompletableFuture.supplyAsync(() -> worker.repeated(3, 10, LONG));
    assertThat(Worker.ids(older.get(10, TimeUnit.SECONDS))).isEmpty();
    node.event("1", "a");
    assertThat(Worker.ids(newer.get(10, TimeUnit.SECONDS))).containsExactly("a");
  }

  @Test
  void aReportEndsThePollThatWaitsSoThatNothingIsDeliveredAnew() throws Exception {
    node.event("1", "a");
    Worker worker = node.worker("w").employed();
    worker.take();
    CompletableFuture<PollAnswered> waiting =
        CompletableFuture.supplyAsync(() -> worker.repeated(3, 10, LONG));
    Awaitility.await().until(() -> node.sessions.waitingPolls() == 1);
    worker.repeated(4, 0, Duration.ZERO, worker.result("1", 1, ResultKind.ACKNOWLEDGED));
    assertThat(Worker.ids(waiting.get(10, TimeUnit.SECONDS))).isEmpty();
    node.event("1", "b");
    assertThat(Worker.ids(worker.repeated(5, 10, LONG))).containsExactly("b");
  }

  @Test
  void aWaitingWorkerIsAskedToLeave() throws Exception {
    Worker worker = node.worker("w").employed();
    CompletableFuture<PollAnswered> waiting =
        CompletableFuture.supplyAsync(() -> worker.poll(10, LONG));
    Awaitility.await().until(() -> node.sessions.waitingPolls() == 1);
    node.operator().post(worker.path() + "/retirement", new RetirementRequest(true));
    assertThat(waiting.get(10, TimeUnit.SECONDS).leave()).isTrue();
    assertThat(node.worker(worker.id).leaving()).isTrue();
  }

  @Test
  void aWorkerThatRepeatsItsPollIsToldAgainAtOnceWhatItIsToGiveBack() throws Exception {
    node.event("1", "a");
    Worker worker = node.worker("w").employed();
    worker.take();
    node.operator()
        .post(
            "/v1/queues/" + QUEUE + "/session-actions",
            SessionCommand.of(SessionAction.MOVE, "1", null));
    CompletableFuture<PollAnswered> told =
        CompletableFuture.supplyAsync(() -> worker.repeated(3, 10, LONG));
    assertThat(told.get(10, TimeUnit.SECONDS).revoked()).hasSize(1);
    // As that answer was lost:
    CompletableFuture<PollAnswered> again =
        CompletableFuture.supplyAsync(() -> worker.repeated(3, 10, LONG));
    assertThat(again.get(10, TimeUnit.SECONDS).revoked()).hasSize(1);
    CompletableFuture<PollAnswered> next =
        CompletableFuture.supplyAsync(() -> worker.repeated(4, 10, LONG));
    Awaitility.await().until(() -> node.sessions.waitingPolls() == 1);
    node.event("2", "b");
    assertThat(Worker.ids(next.get(10, TimeUnit.SECONDS))).containsExactly("b");
  }

  @Test
  void whileConsumingIsPausedNothingIsDeliveredButResultsCount() throws Exception {
    node.event("1", "a");
    Worker worker = node.worker("w").employed();
    worker.take();
    node.follow(SessionDefinition.of("/jobId"), true);
    node.event("1", "b");
    assertThat(worker.done("1", 1).answers()).hasSize(1);
    assertThat(worker.take()).isEmpty();
    assertThat(node.sessions.show(QUEUE, "1").session().acknowledged()).isEqualTo(1);
    CompletableFuture<PollAnswered> waiting =
        CompletableFuture.supplyAsync(() -> worker.poll(10, LONG));
    Awaitility.await().until(() -> node.sessions.waitingPolls() == 1);
    node.follow(SessionDefinition.of("/jobId"), false);
    assertThat(Worker.ids(waiting.get(10, TimeUnit.SECONDS))).containsExactly("b");
  }

  @Test
  void operatorsSeeAndChangeSessions() {
    node.event("1", "a");
    node.event("2", "b");
    assertThat(act(SessionAction.MOVE, "1"))
        .isEqualTo("session 1 has no worker; there is nothing to move");
    Worker worker = node.worker("w").employed();
    worker.take();
    String sessions = "/v1/queues/" + QUEUE + "/sessions";
    assertThat(node.operator().get(sessions).as(SessionPage.class).sessions()).hasSize(2);
    assertThat(node.operator().get(sessions + "?state=unassigned").as(SessionPage.class).sessions())
        .isEmpty();
    assertThat(
            node.operator()
                .get(sessions + "?limit=1&worker=" + worker.id)
                .as(SessionPage.class)
                .next())
        .isNotNull();
    SessionDetails shown =
        node.operator().get("/v1/queues/" + QUEUE + "/session?key=1").as(SessionDetails.class);
    assertThat(shown.session().workerName()).isEqualTo("w");
    assertThat(shown.events()).hasSize(1);
    assertThat(act(SessionAction.MOVE, "2"))
        .startsWith("session 2 is being taken from worker ")
        .endsWith(", at the latest within its deadline");
    assertThat(act(SessionAction.CLOSE, "1"))
        .isEqualTo(
            "session 1 is closed as soon as worker %s has given it back, at the latest within its deadline"
                .formatted(worker.id.toString().substring(0, 8)));
    worker.poll(0, Duration.ZERO, worker.result("1", 0, ResultKind.RELEASED));
    assertThat(node.operator().get(sessions + "?state=completed").as(SessionPage.class).sessions())
        .hasSize(1);
    assertThat(
            node.operator()
                .get("/v1/queues/" + QUEUE + "/session?key=1")
                .as(SessionDetails.class)
                .history())
        .extracting(SessionMoment::reason)
        .anySatisfy(reason -> assertThat(reason).startsWith("by ").endsWith(": done by hand"));
    assertThat(act(SessionAction.DROP, "1"))
        .isEqualTo("session 1 had ended; its key is forgotten now");
    assertThatThrownBy(() -> node.operator().get("/v1/queues/" + QUEUE + "/session?key=9"))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_SESSION));
    node.operator().post(worker.path() + "/retirement", new RetirementRequest(false, "it hangs"));
    assertThat(node.worker(worker.id).state()).isEqualTo(SessionWorkerState.RETIRED);
    assertThat(node.sessions.show(QUEUE, "2").history())
        .extracting(SessionMoment::reason)
        .anySatisfy(
            reason ->
                assertThat(reason).startsWith("its worker was retired by ").endsWith(": it hangs"));
  }

  @Test
  void aSessionThatWaitsForAWorkerSaysWhyNoneComes() {
    node.event("1", "a");
    assertThat(node.sessions.show(QUEUE, "1").session().waitsFor())
        .isEqualTo("a worker to register; see 'millrace queue explain %s'".formatted(QUEUE));
    node.follow(SessionDefinition.of("/jobId"), true);
    assertThat(node.sessions.show(QUEUE, "1").session().waitsFor())
        .isEqualTo("consuming to be resumed");
    assertThat(node.sessions.list(QUEUE, null, null, null, 10).sessions().get(0).waitsFor())
        .isEqualTo("consuming to be resumed");
  }

  private String act(SessionAction action, String key) {
    return node.operator()
        .post(
            "/v1/queues/" + QUEUE + "/session-actions",
            SessionCommand.of(action, key, "done by hand"))
        .as(SessionActed.class)
        .message();
  }

  @Test
  void eventsOfSessionsCannotBeLeasedNorSessionsOfOtherQueuesServed() {
    node.event("1", "a");
    assertThatThrownBy(() -> node.client().lease(QUEUE, new LeaseRequest(1, null, null, "w")))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("session-workers");
    assertThatThrownBy(() -> node.client().acknowledge(QUEUE, new Acknowledgement(List.of())))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
    assertThatThrownBy(
            () ->
                node.operator()
                    .post(
                        "/v1/queues/" + QUEUE + "/purge",
                        new PurgeRequest(QUEUE, true, false, false)))
        .hasMessageContaining("has sessions and cannot be purged");
    assertThatThrownBy(() -> node.operator().get("/v1/queues/plain/sessions"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_SESSION))
        .hasMessageContaining("has no sessions");
    assertThat(node.client().send("plain", "b", EventMedia.JSON, new byte[] {'1'}).accepted())
        .isEqualTo(1);
  }

  @Test
  void figuresOfTheSegmentContainItsSessions() {
    node.event("1", "a");
    var figures = node.client().figures(QUEUE);
    assertThat(figures.waiting()).isEqualTo(1);
    assertThat(figures.inserted()).isEqualTo(1);
    assertThat(figures.sessions().unassigned()).isEqualTo(1);
    assertThat(node.client().figures("plain").sessions()).isNull();
  }

  @Test
  void aDeletedQueueIsRemovedWhenItsSessionsHaveNoUnfinishedEvents() {
    SessionDefinition rules = SessionDefinition.of("/jobId");
    node.event("1", "a");
    Worker worker = node.worker("w").employed();
    worker.take();
    assertThat(node.delete(rules, DeletionMode.DRAIN)).isFalse();
    assertThat(node.events(envelope("2", "b")).status()).isEqualTo(410);
    worker.completes("1", 1);
    assertThat(node.delete(rules, DeletionMode.DRAIN)).isTrue();
    assertThat(node.sessions.queues()).isEmpty();
  }

  @Test
  void aQueueThatIsDeletedWithItsEventsIsRemovedAtOnce() {
    node.event("1", "a");
    assertThat(node.delete(SessionDefinition.of("/jobId"), DeletionMode.DISCARD)).isTrue();
    assertThat(node.sessions.queues()).isEmpty();
  }

  @Test
  void aStreamHasALineForEachAnswerAndReportsComeByPolls() throws IOException {
    node.event("1", "a");
    Worker worker = node.worker("w").employed();
    HttpCall call =
        HttpCall.get(URI.create(worker.path() + "/stream?incarnation=" + worker.incarnation));
    try (InputStream stream = node.operator().stream(call);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      worker.learns(line(lines));
      assertThat(worker.done("1", 1).answers()).hasSize(1);
      node.event("1", "b");
      node.event("2", "c");
      PollAnswered second = line(lines);
      worker.learns(second);
      assertThat(Worker.ids(second)).first().isEqualTo("b");
      // The same report again is answered as the first time.
      var result = worker.result("1", 2, ResultKind.COMPLETED);
      assertThat(worker.repeated(50, 0, Duration.ZERO, result).answers())
          .isEqualTo(worker.repeated(50, 0, Duration.ZERO, result).answers());
      assertThat(node.sessions.figures().get(QUEUE).sessions().completed()).isEqualTo(1);
    }
  }

  private static PollAnswered line(BufferedReader lines) throws IOException {
    String line = lines.readLine();
    while (line.isBlank()) {
      line = lines.readLine();
    }
    return Json.read(line, PollAnswered.class);
  }

  @Test
  void aStreamOfAnUnknownProcessIsRefused() {
    Worker worker = node.worker("w").employed();
    HttpAnswer refused =
        node.call(
            Role.OPERATOR,
            HttpCall.get(URI.create(worker.path() + "/stream?incarnation=" + worker.id)));
    assertThat(refused.status()).isEqualTo(404);
    assertThat(code(refused)).isEqualTo(ErrorCode.UNKNOWN_WORKER);
  }
}
