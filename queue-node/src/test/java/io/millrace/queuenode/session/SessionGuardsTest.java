package io.millrace.queuenode.session;

import static io.millrace.queuenode.session.SessionNode.QUEUE;
import static io.millrace.queuenode.session.SessionNode.envelope;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.api.session.RetirementRequest;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionView.SessionCommand;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import io.millrace.api.session.SlotMoveRequest;
import io.millrace.platform.identity.Role;
import io.millrace.queuenode.http.NodeSessionRoutes;
import io.millrace.queuenode.http.SlotRoutes;
import io.millrace.queuenode.session.SessionNode.Worker;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What those with a token cannot do to a node's sessions, and what is noted of what they can. */
class SessionGuardsTest {
  @TempDir Path folder;
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final List<Logger> loggers =
      List.of(
          (Logger) LoggerFactory.getLogger(NodeSessionRoutes.class),
          (Logger) LoggerFactory.getLogger(SlotRoutes.class));
  private SessionNode node;

  @BeforeEach
  void start() {
    node = new SessionNode(folder, SessionDefinition.of("/jobId"));
    log.start();
    loggers.forEach(logger -> logger.addAppender(log));
    loggers.forEach(logger -> logger.setLevel(Level.INFO));
  }

  @AfterEach
  void stop() {
    loggers.forEach(logger -> logger.detachAppender(log));
    loggers.forEach(logger -> logger.setLevel(null));
    node.close();
  }

  private List<String> logged() {
    return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  /**
   * Keys of single surrogates would be one key after a restart, which the node would not survive.
   */
  @Test
  void eventsWhoseKeysOrIdsCannotBeStoredAreRefusedAloneAndTheNodeStartsAgain() {
    HttpAnswer answer =
        node.events(
            envelope("\\ud800", "a"),
            envelope("\\ud801", "b"),
            envelope("1\\u0000", "c"),
            "{\"id\":\"d\\ud800\",\"data\":{\"jobId\":\"2\"}}",
            envelope("3", "e"));
    assertThat(answer.status()).isEqualTo(207);
    SendAnswer some = Json.read(answer.body(), SendAnswer.class);
    assertThat(some.accepted()).isEqualTo(1);
    assertThat(some.refused()).extracting(RefusedEvent::index).containsExactly(0, 1, 2, 3);
    assertThat(some.refused())
        .extracting(RefusedEvent::code)
        .containsOnly(ErrorCode.INVALID_REQUEST);
    assertThat(some.refused().get(0).message()).contains("the event's key has a control character");
    assertThat(some.refused().get(3).message()).contains("the event's id has");

    node.close();
    node = new SessionNode(folder, SessionDefinition.of("/jobId"));
    assertThat(node.sessions.show(QUEUE, "3").session().accepted()).isEqualTo(1);
  }

  @Test
  void namesAndJobsOfWorkersAreShortAndPlain() {
    refused("name has 201 characters; at most 200", "n".repeat(201), null);
    refused("job has 201 characters; at most 200", null, "j".repeat(201));
    refused("name has a control character", "n\u001b[31m", null);
    refused("job has a control character", null, "j\ud800");
    assertThat(node.workers()).isEmpty();
  }

  private void refused(String words, String name, String job) {
    URI uri = URI.create(node.worker("w").path());
    WorkerRegistration registration = new WorkerRegistration(UUID.randomUUID(), 1, name, job);
    assertThatThrownBy(() -> node.operator().send(HttpCall.put(uri, registration)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageContaining(words);
  }

  @Test
  void resultsOfKeysThatNoSessionHasAreNotKept() {
    Worker worker = node.worker("w").employed();
    String key = "k".repeat(251);
    SessionResult result =
        new SessionResult(key, new SessionNumber(1, 1), 1, ResultKind.ACKNOWLEDGED, null, null);
    assertThatThrownBy(() -> worker.poll(0, Duration.ZERO, result))
        .hasMessageContaining("no session has a key of more than 250 characters");
  }

  @Test
  void aPollOfAnUnknownProcessDoesNotEndTheWaitOfTheRegisteredOne() throws Exception {
    Worker worker = node.worker("w").employed();
    CompletableFuture<PollAnswered> waiting =
        CompletableFuture.supplyAsync(() -> worker.poll(10, Duration.ofSeconds(20)));
    Awaitility.await().until(() -> node.sessions.waitingPolls() == 1);
    for (Duration patience : List.of(Duration.ZERO, Duration.ofSeconds(20))) {
      SessionPoll foreign = new SessionPoll(UUID.randomUUID(), 1, 10, patience, null);
      assertThatThrownBy(() -> node.operator().post(worker.path() + "/polls", foreign))
          .isInstanceOfSatisfying(
              MillraceException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNKNOWN_WORKER));
    }
    assertThat(waiting).isNotDone();
    assertThat(node.sessions.waitingPolls()).isEqualTo(1);
    node.event("1", "a");
    assertThat(Worker.ids(waiting.get(10, TimeUnit.SECONDS))).containsExactly("a");
  }

  @Test
  void anActionOnASessionThatIsNotInTheExpectedStateIsRefused() {
    node.event("1", "a");
    String actions = "/v1/queues/" + QUEUE + "/session-actions";
    for (SessionAction action : SessionAction.values()) {
      SessionCommand onlyParked = new SessionCommand(action, "1", null, SessionState.PARKED);
      assertThatThrownBy(() -> node.operator().post(actions, onlyParked))
          .isInstanceOfSatisfying(
              MillraceException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CONFLICT))
          .hasMessageContaining("session '1' is unassigned, not parked; nothing was changed");
    }
    assertThat(node.sessions.show(QUEUE, "1").session().state()).isEqualTo(SessionState.UNASSIGNED);
    node.operator()
        .post(actions, new SessionCommand(SessionAction.CLOSE, "1", null, SessionState.UNASSIGNED));
    assertThat(node.sessions.show(QUEUE, "1").session().state()).isEqualTo(SessionState.COMPLETED);
  }

  @Test
  void whatAnOperatorDoesAtTheNodeIsLoggedWithItsReason() {
    node.event("1", "a");
    node.event("2", "b");
    Worker worker = node.worker("w").employed();
    String actions = "/v1/queues/" + QUEUE + "/session-actions";
    String reason = "r".repeat(5_000);
    node.operator().post(actions, SessionCommand.of(SessionAction.MOVE, "1", reason));
    node.operator().post(actions, SessionCommand.of(SessionAction.DROP, "2", "a mistake"));
    node.operator()
        .post(worker.path() + "/retirement", new RetirementRequest(true, "a new version"));
    node.call(
        Role.OPERATOR,
        HttpCall.post(
            URI.create("/v1/queues/" + QUEUE + "/slot-moves"), new SlotMoveRequest("q1", 3)));
    assertThat(logged())
        .containsExactly(
            "ada: MOVE of session 1 of jobs: " + "r".repeat(999) + "…",
            "ada: DROP of session 2 of jobs: a mistake",
            "ada asked to end the session worker " + worker.id + " of jobs: a new version",
            "test asks to give 3 slots of jobs to q1");
    assertThat(node.sessions.show(QUEUE, "1").history())
        .allMatch(moment -> moment.reason() == null || moment.reason().length() <= 1_100);
  }
}
