package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static io.millrace.queuenode.session.store.SessionStoreFixture.delivered;
import static io.millrace.queuenode.session.store.SessionStoreFixture.event;
import static io.millrace.queuenode.session.store.SessionStoreFixture.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionDefinition.DuplicatePolicy;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionView.SessionFigures;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.RevokedSession;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SlotTable;
import io.millrace.queuenode.session.store.QueueSessions.Figure;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import io.millrace.queuenode.session.store.SessionStore.PutResult;
import io.millrace.queuenode.session.store.SessionStore.SessionPut;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is accepted, what is repeated, and what is refused (M-08, M-10, M-11, M-15). */
class SessionIntakeTest {
  @TempDir private Path folder;
  private SessionStoreFixture sessions;

  @BeforeEach
  void open() {
    sessions = SessionStoreFixture.withAllSlots(folder);
  }

  @AfterEach
  void close() {
    sessions.close();
  }

  private SessionFigures figures() {
    return sessions.store.figures().get(QUEUE).sessions();
  }

  private void completed(String key) {
    sessions.available(1);
    sessions.put(key, key + "1");
    PollAnswered answer = sessions.poll(1, 10);
    sessions.poll(1, 0, result(answer.sessions().get(0), ResultKind.COMPLETED));
  }

  @Test
  void anEventThatIsSentAgainIsStoredOnceEvenAfterItsSessionHasEnded() {
    assertThat(sessions.put("a", "a1")).isEqualTo("STORED");
    assertThat(sessions.put("a", "a1")).isEqualTo("REPEATED");
    completed("b");
    assertThat(sessions.put("b", "b1")).isEqualTo("REPEATED");
    assertThat(figures().duplicates()).isEqualTo(2);
  }

  @Test
  void anEventThatASnapshotCoversIsStillKnown() {
    sessions.available(1);
    sessions.put("a", "a1");
    SessionNumber number = sessions.poll(1, 10).sessions().get(0).number();
    sessions.poll(
        1, 0, new SessionResult("a", number, 1, ResultKind.SNAPSHOT, IntNode.valueOf(1), null));
    assertThat(sessions.session("a").kept()).isZero();
    assertThat(sessions.put("a", "a1")).isEqualTo("REPEATED");
  }

  @Test
  void aCompletedKeyIsRefusedOrDroppedOrOpenedAnewByPolicy() {
    completed("a");
    SessionNumber before = new SessionNumber(1, 1);
    assertThat(sessions.put("a", "a2")).isEqualTo("DUPLICATE");
    sessions.rules = sessions.rules.withDuplicates(DuplicatePolicy.DROP);
    assertThat(sessions.put("a", "a2")).isEqualTo("REPEATED");
    assertThat(sessions.session("a")).isNull();
    sessions.rules = sessions.rules.withDuplicates(DuplicatePolicy.REOPEN);
    assertThat(sessions.put("a", "a2")).isEqualTo("STORED");
    assertThat(sessions.session("a").number().compareTo(before)).isPositive();
    assertThat(sessions.session("a").accepted()).isOne();
    assertThat(figures().duplicates()).isEqualTo(3);
  }

  @Test
  void keysAreForgottenAfterAWhileAndAboveTheirNumberTheOldestFirst() {
    sessions.rules = sessions.rules.withRememberMax(2).withRemember(Duration.ofHours(1));
    for (String key : List.of("a", "b", "c")) {
      completed(key);
    }
    sessions.look();
    assertThat(sessions.put("a", "a1")).as("forgotten").isEqualTo("STORED");
    assertThat(sessions.put("b", "b1")).isEqualTo("REPEATED");
    sessions.reopen();
    sessions.clock.advance(Duration.ofHours(1));
    sessions.look();
    assertThat(figures().remembered()).isZero();
    assertThat(sessions.put("c", "c1")).isEqualTo("STORED");
  }

  @Test
  void aFullSessionIsShownAndCountedUntilASnapshotMakesRoom() {
    sessions.rules = sessions.rules.withMaxPerKey(1);
    sessions.available(1);
    sessions.put("a", "a1");
    SessionNumber number = sessions.poll(1, 10).sessions().get(0).number();
    sessions.poll(1, 0, result("a", number, 1, ResultKind.ACKNOWLEDGED));
    assertThat(sessions.put(event("a", "a2")).get(0).message())
        .contains("report a snapshot or complete it", "'millrace session close orders a'");
    assertThat(figures().refused()).isOne();
    assertThat(figures().full()).isOne();
    assertThat(sessions.store.show(QUEUE, "a").session().waitsFor())
        .isEqualTo("full: 1 of 1 events kept");
    sessions.poll(
        1, 0, new SessionResult("a", number, 1, ResultKind.SNAPSHOT, IntNode.valueOf(1), null));
    sessions.look();
    assertThat(figures().full()).isZero();
    assertThat(sessions.store.show(QUEUE, "a").session().waitsFor()).isNull();
    assertThat(sessions.put("a", "a2")).isEqualTo("STORED");
  }

  @Test
  void aKeyThatIsDroppedAfterItsSessionHasEndedOpensANewOneUnderAHigherNumber() {
    completed("a");
    assertThatThrownBy(() -> sessions.store.act(QUEUE, "a", SessionAction.CLOSE, null))
        .hasMessageContaining(
            "session 'a' of orders has ended (completed); its key is remembered for another 1d");
    sessions.store.rollback();
    sessions.store.act(QUEUE, "a", SessionAction.DROP, null);
    sessions.commit();
    sessions.reopen();
    assertThat(figures().remembered()).isZero();
    assertThat(sessions.put("a", "a1")).isEqualTo("STORED");
    sessions.poll(1, 0);
    assertThat(sessions.session("a").number()).isEqualTo(new SessionNumber(1, 2));
    assertThatThrownBy(() -> sessions.store.act(QUEUE, "b", SessionAction.DROP, null))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_SESSION));
  }

  @Test
  void aClosedSessionSaysHowManyOfItsEventsWereAcknowledged() {
    sessions.put("a", "a1");
    sessions.put("a", "a2");
    sessions.store.act(QUEUE, "a", SessionAction.CLOSE, "by ann: cancelled");
    sessions.commit();
    sessions.reopen();
    assertThat(sessions.store.show(QUEUE, "a").session().accepted()).isEqualTo(2);
    assertThat(sessions.store.show(QUEUE, "a").session().acknowledged()).isZero();
  }

  @Test
  void afterARefusedEventLaterOnesOfItsKeyAreRefusedToo() {
    sessions.rules = sessions.rules.withMaxPerKey(1);
    sessions.store.seal(QUEUE, List.of(SessionKey.slot("b")));
    sessions.commit();
    List<PutResult> results =
        sessions.put(
            event("a", "a1"),
            event("a", "a2"),
            event("b", "b1"),
            event("a", "a1"),
            event("c", "c1"));
    assertThat(results)
        .extracting(PutResult::code)
        .containsExactly(
            null, ErrorCode.SESSIONS_FULL, ErrorCode.STALE_SLOT, ErrorCode.SESSIONS_FULL, null);
  }

  @Test
  void anEventForAnEarlierOwnershipOfTheSlotIsRefused() {
    KeyedEvent now = event("a", "a1");
    KeyedEvent late = new KeyedEvent(now.event(), "a", now.slot(), 7);
    assertThat(sessions.put(late).get(0).code()).isEqualTo(ErrorCode.STALE_SLOT);
    KeyedEvent right = new KeyedEvent(now.event(), "a", now.slot(), 1);
    assertThat(sessions.put(right).get(0)).isEqualTo(PutResult.STORED);
  }

  @Test
  void aboveTheCapOnlyEventsThatWouldOpenASessionAreRefusedUntilAWorkerHasRoom() {
    sessions.rules = sessions.rules.withMaxUnassigned(2).withMaxPerWorker(3);
    assertThat(sessions.put("a", "a1")).isEqualTo("STORED");
    assertThat(sessions.put("b", "b1")).isEqualTo("STORED");
    assertThat(sessions.put("c", "c1")).isEqualTo("SESSIONS_FULL");
    assertThat(sessions.put("b", "b2")).isEqualTo("STORED");
    assertThat(figures().refused()).isOne();
    assertThat(figures().unassigned()).isEqualTo(2);
    sessions.available(1);
    for (String key : List.of("c", "d", "e")) {
      assertThat(sessions.put(key, key + "1")).isEqualTo("STORED");
      assertThat(figures().unassigned()).isLessThanOrEqualTo(2);
    }
    assertThat(sessions.put("f", "f1")).isEqualTo("SESSIONS_FULL");
  }

  @Test
  void aNodeWithHalfOfTheSlotsHasHalfOfTheCap() {
    sessions.rules = sessions.rules.withMaxUnassigned(4);
    SessionPut put =
        new SessionPut(
            QUEUE,
            sessions.rules,
            List.of(event("a", "a1"), event("b", "b1"), event("c", "c1")),
            Long.MAX_VALUE,
            0,
            SlotTable.SLOTS / 2);
    assertThat(sessions.store.put(put).results())
        .extracting(PutResult::code)
        .containsExactly(null, null, ErrorCode.SESSIONS_FULL);
  }

  @Test
  void aFullQueueRefusesUntilEventsAreAcknowledged() {
    sessions.maxEvents = 2;
    sessions.available(1);
    sessions.put("a", "a1");
    sessions.put("a", "a2");
    assertThat(sessions.put("a", "a3")).isEqualTo("QUEUE_FULL");
    sessions.poll(1, 0, result(sessions.poll(1, 10).sessions().get(0), ResultKind.ACKNOWLEDGED));
    assertThat(sessions.put("a", "a3")).isEqualTo("STORED");
  }

  @Test
  void aQueueThatIsFullOfKeptEventsTakesThoseThatItsOpenSessionsNeedToEnd() {
    sessions.available(1);
    sessions.put("a", "a1");
    sessions.poll(1, 0, result(sessions.poll(1, 10).sessions().get(0), ResultKind.ACKNOWLEDGED));
    sessions.maxBytes = sessions.session("a").bytes();
    assertThat(sessions.put("b", "b1")).as("opens a session").isEqualTo("QUEUE_FULL");
    assertThat(sessions.put("a", "a2")).isEqualTo("STORED");
    sessions.poll(1, 0, result(sessions.poll(1, 10).sessions().get(0), ResultKind.COMPLETED));
    assertThat(sessions.put("b", "b1")).isEqualTo("STORED");
  }

  @Test
  void ofAKeyThatIsOpenedAgainAndAgainOnlyTheLastEndsAreRemembered() {
    sessions.rules = sessions.rules.withDuplicates(DuplicatePolicy.REOPEN);
    sessions.available(1);
    int times = RememberedKeys.MOST_ENDS + 3;
    for (int i = 1; i <= times; i++) {
      assertThat(sessions.put("a", "a" + i)).isEqualTo("STORED");
      sessions.poll(1, 0, result(sessions.poll(1, 10).sessions().get(0), ResultKind.COMPLETED));
    }
    QueueSessions queue = sessions.store.book().queue(QUEUE);
    assertThat(queue.slot(SessionKey.slot("a")).remembered().size())
        .isEqualTo(RememberedKeys.MOST_ENDS);
    assertThat(queue.figure(Figure.FORGOTTEN)).isEqualTo(3);
    assertThat(sessions.put("a", "a4")).as("of the eighth end from the last").isEqualTo("REPEATED");
    SessionStateCheck.check(sessions);
    String before = SessionStateCheck.durable(sessions);
    sessions.reopen();
    SessionStateCheck.same(SessionStateCheck.durable(sessions), before);
  }

  @Test
  void aSessionWithoutEventsForLongEndsUnlessSomethingOfItIsUnacknowledged() {
    sessions.rules =
        sessions.rules.withIdle(Duration.ofHours(1)).withHeartbeat(Duration.ofHours(5));
    sessions.available(1);
    sessions.put(event("a", "a1"), event("b", "b1"));
    PollAnswered answer = sessions.poll(1, 10);
    sessions.poll(1, 0, result(answer.sessions().get(0), ResultKind.ACKNOWLEDGED));
    sessions.clock.advance(Duration.ofHours(1));
    sessions.look();
    assertThat(sessions.session("b").ending()).isNull();
    answer = sessions.poll(1, 0);
    assertThat(answer.revoked()).extracting(RevokedSession::key).containsExactly("a");
    RevokedSession gone = answer.revoked().get(0);
    sessions.poll(1, 0, result("a", gone.number(), 0, ResultKind.RELEASED));
    assertThat(sessions.session("a")).isNull();
    assertThat(sessions.put("a", "a2")).isEqualTo("DUPLICATE");
  }

  @Test
  void anEventThatComesBeforeAnIdleSessionHasEndedKeepsItOpen() {
    sessions.rules =
        sessions.rules.withIdle(Duration.ofHours(1)).withHeartbeat(Duration.ofHours(5));
    sessions.available(1);
    sessions.put("a", "a1");
    PollAnswered answer = sessions.poll(1, 10);
    sessions.poll(1, 0, result(answer.sessions().get(0), ResultKind.ACKNOWLEDGED));
    sessions.clock.advance(Duration.ofHours(1));
    sessions.look();
    assertThat(sessions.put("a", "a2")).isEqualTo("STORED");
    RevokedSession gone = sessions.poll(1, 0).revoked().get(0);
    sessions.poll(1, 0, result("a", gone.number(), 0, ResultKind.RELEASED));
    assertThat(delivered(sessions.poll(1, 10))).isEqualTo("a:1,2");
  }
}
