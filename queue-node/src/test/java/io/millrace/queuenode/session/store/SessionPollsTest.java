package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.PROCESS;
import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static io.millrace.queuenode.session.store.SessionStoreFixture.delivered;
import static io.millrace.queuenode.session.store.SessionStoreFixture.event;
import static io.millrace.queuenode.session.store.SessionStoreFixture.result;
import static io.millrace.queuenode.session.store.SessionStoreFixture.w;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.node.TextNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionDefinition.DeadEventPolicy;
import io.millrace.api.session.SessionDefinition.DuplicatePolicy;
import io.millrace.api.session.SessionDefinition.SessionOrder;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionView.SessionMoment;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.RevokedSession;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import io.millrace.queuenode.store.NewEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What workers get, and what becomes of what they report. */
class SessionPollsTest {
  @TempDir private Path folder;
  private SessionStoreFixture sessions;

  @BeforeEach
  void open() {
    sessions = SessionStoreFixture.withAllSlots(folder);
    sessions.available(1);
  }

  @AfterEach
  void close() {
    sessions.close();
  }

  private SessionNumber number(String key) {
    return sessions.session(key).number();
  }

  private ResultOutcome report(String key, long through, ResultKind kind) {
    return report(
        new SessionResult(key, number(key), through, kind, new TextNode("at " + through), null));
  }

  private ResultOutcome report(SessionResult result) {
    ResultAnswer answer = sessions.poll(1, 0, result).answers().get(0);
    return answer.outcome();
  }

  private void abc() {
    for (String key : new String[] {"a", "b"}) {
      sessions.put(event(key, key + "1"), event(key, key + "2"), event(key, key + "3"));
    }
  }

  @Test
  void strictHasOneBatchOfASessionOutstandingAndSessionsTakeTurns() {
    sessions.batch = 2;
    abc();
    assertThat(delivered(sessions.poll(1, 100))).isEqualTo("a:1,2 b:1,2");
    assertThat(delivered(sessions.poll(1, 100))).isEmpty();
    report("a", 1, ResultKind.ACKNOWLEDGED);
    assertThat(delivered(sessions.poll(1, 100))).as("one is outstanding").isEmpty();
    report("a", 2, ResultKind.ACKNOWLEDGED);
    assertThat(delivered(sessions.poll(1, 100))).isEqualTo("a:3");
  }

  @Test
  void pipelinedHasSeveralOutstandingUpToFourBatches() {
    sessions.rules = sessions.rules.withOrder(SessionOrder.PIPELINED);
    sessions.batch = 1;
    sessions.poll(1, 0);
    for (int i = 1; i <= 6; i++) {
      sessions.put("a", "a" + i);
    }
    for (int i = 1; i <= 4; i++) {
      assertThat(delivered(sessions.poll(1, 1))).isEqualTo("a:" + i);
    }
    assertThat(delivered(sessions.poll(1, 1))).isEmpty();
    report("a", 2, ResultKind.ACKNOWLEDGED);
    assertThat(delivered(sessions.poll(1, 1))).isEqualTo("a:5");
  }

  @Test
  void anAnswerHasAtMostSoManyEventsAndBytesButAtLeastOne() {
    abc();
    PollAnswered first = sessions.poll(1, 2);
    assertThat(delivered(first)).isEqualTo("a:1,2");
    assertThat(delivered(sessions.poll(1, 2))).as("the other's turn").isEqualTo("b:1,2");
    long poll = sessions.lastPoll(1) + 1;
    var small =
        sessions.store.poll(
            QUEUE,
            w(1),
            new SessionPoll(
                PROCESS,
                poll,
                10,
                null,
                List.of(result(first.sessions().get(0), ResultKind.ACKNOWLEDGED))),
            poll,
            1,
            sessions.delivery(),
            1);
    assertThat(delivered(small.answer())).isEqualTo("a:3");
  }

  @Test
  void aRepeatedPollGetsTheSameEventsAgainAndItsResultsCountOnce() {
    sessions.batch = 1;
    abc();
    sessions.poll(1, 10);
    SessionResult failed = result("a", number("a"), 0, ResultKind.FAILED);
    long poll = sessions.lastPoll(1) + 1;
    PollAnswered once = sessions.pollAs(1, PROCESS, poll, 10, failed);
    PollAnswered again = sessions.pollAs(1, PROCESS, poll, 10, failed);
    assertThat(again).isEqualTo(once);
    assertThat(delivered(again)).isEqualTo("a:1");
    assertThat(sessions.session("a").attempts(1)).isOne();
  }

  @Test
  void aPollOutOfTurnGetsAllThatIsUnacknowledgedAgain() {
    abc();
    sessions.poll(1, 3);
    sessions.poll(1, 3);
    assertThat(delivered(sessions.pollAs(1, PROCESS, 77, 10))).isEqualTo("a:1,2,3 b:1,2,3");
  }

  @Test
  void aSuccessorGetsTheSnapshotAndWhatItDoesNotCover() {
    abc();
    sessions.poll(1, 10);
    report("a", 2, ResultKind.SNAPSHOT);
    report("a", 3, ResultKind.ACKNOWLEDGED);
    sessions.put("a", "a4");
    sessions.store.leave(QUEUE, w(1), PROCESS);
    sessions.commit();
    sessions.reopen();
    sessions.register(2);
    PollAnswered answer = sessions.poll(2, 10);
    SessionDelivery a =
        answer.sessions().stream().filter(one -> one.key().equals("a")).findAny().orElseThrow();
    assertThat(a.from()).isEqualTo(3);
    assertThat(a.snapshot()).hasToString("\"at 2\"");
    assertThat(a.replayed()).isEqualTo(3);
    assertThat(a.events()).extracting(one -> one.n()).containsExactly(3L, 4L);
    assertThat(a.number()).isEqualTo(new SessionNumber(1, 2));
  }

  @Test
  void aSuccessorHearsOfASessionOfWhichNothingIsLeftButItsCompletion() {
    abc();
    sessions.poll(1, 10);
    report("a", 3, ResultKind.SNAPSHOT);
    sessions.store.leave(QUEUE, w(1), PROCESS);
    sessions.commit();
    sessions.register(2);
    assertThat(sessions.poll(2, 10).sessions())
        .anySatisfy(
            one -> {
              assertThat(one.key()).isEqualTo("a");
              assertThat(one.snapshot()).hasToString("\"at 3\"");
              assertThat(one.events()).isEmpty();
            });
    assertThat(delivered(sessions.poll(2, 10))).as("once").isEmpty();
  }

  @Test
  void aResultAboutAnEventThatWasNeverAcceptedIsRefusedBeforeAnyOther() {
    abc();
    assertThatThrownBy(
            () ->
                sessions.poll(
                    1,
                    10,
                    result("a", number("a"), 2, ResultKind.ACKNOWLEDGED),
                    result("b", number("b"), 4, ResultKind.ACKNOWLEDGED)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST));
    assertThat(sessions.session("a").acknowledged()).isZero();
  }

  @Test
  void aCompletionThatDoesNotKnowTheLastEventLeavesTheSessionOpen() {
    abc();
    sessions.poll(1, 10);
    SessionNumber number = number("a");
    assertThat(report("a", 2, ResultKind.COMPLETED)).isEqualTo(ResultOutcome.CONTINUES);
    assertThat(sessions.session("a").acknowledged()).isEqualTo(2);
    assertThat(report("a", 3, ResultKind.COMPLETED)).isEqualTo(ResultOutcome.DONE);
    assertThat(report(result("a", number, 3, ResultKind.COMPLETED))).isEqualTo(ResultOutcome.DONE);
    assertThat(report(result("a", number, 3, ResultKind.ACKNOWLEDGED)))
        .isEqualTo(ResultOutcome.UNKNOWN);
    assertThat(report(result("a", new SessionNumber(1, 9), 3, ResultKind.COMPLETED)))
        .isEqualTo(ResultOutcome.UNKNOWN);
  }

  /** Its worker learns in the next answer that it no longer has the session. */
  private void givesBack(String key) {
    assertThat(sessions.poll(1, 0).revoked()).extracting(RevokedSession::key).containsExactly(key);
    assertThat(report(key, 0, ResultKind.RELEASED)).isEqualTo(ResultOutcome.DONE);
    assertThat(sessions.poll(1, 0).revoked()).isEmpty();
  }

  /** Its state, and the process that may work on it, end before anybody else has the key. */
  @ParameterizedTest
  @EnumSource(
      value = SessionAction.class,
      names = {"CLOSE", "DROP"})
  void aSessionThatAnOperatorEndsIsGivenBackFirst(SessionAction action) {
    sessions.rules = sessions.rules.withDuplicates(DuplicatePolicy.REOPEN);
    sessions.available(1);
    sessions.put("a", "a1");
    SessionNumber number = sessions.poll(1, 10).sessions().get(0).number();
    sessions.available(2);
    sessions.store.act(QUEUE, "a", action, "a mistake");
    sessions.commit();
    assertThat(sessions.put("a", "a2")).isEqualTo("UNAVAILABLE");
    assertThat(delivered(sessions.poll(2, 10))).isEmpty();
    assertThatThrownBy(() -> sessions.store.act(QUEUE, "a", SessionAction.MOVE, null))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
    sessions.store.rollback();
    sessions.reopen();
    sessions.poll(1, 0);
    givesBack("a");
    assertThat(sessions.session("a")).isNull();
    assertThat(sessions.put("a", "a2")).isEqualTo("STORED");
    sessions.poll(1, 0);
    sessions.poll(2, 0);
    assertThat(sessions.session("a").number().compareTo(number)).isPositive();
  }

  /** One that is not heard of again cannot keep a session open. */
  @Test
  void aSessionThatAnOperatorEndsEndsWithItsWorker() {
    sessions.available(1);
    sessions.put("a", "a1");
    sessions.poll(1, 10);
    sessions.store.act(QUEUE, "a", SessionAction.CLOSE, null);
    sessions.commit();
    sessions.store.retire(QUEUE, SessionStoreFixture.w(1), "by ann");
    sessions.commit();
    assertThat(sessions.session("a")).isNull();
    assertThat(sessions.put("a", "a2")).isEqualTo("DUPLICATE");
  }

  private void deadBy(DeadEventPolicy policy) {
    sessions.rules = sessions.rules.withOnDead(policy);
    abc();
    sessions.poll(1, 10);
    report("a", 1, ResultKind.ACKNOWLEDGED);
    for (int attempt = 1; attempt <= 3; attempt++) {
      assertThat(sessions.session("a").attempts(2)).isEqualTo(attempt - 1);
      report("a", 1, ResultKind.FAILED);
      if (attempt < 3) {
        assertThat(sessions.poll(1, 10).sessions().get(0).events().get(0).attempt())
            .isEqualTo(attempt + 1);
      }
    }
  }

  @Test
  void aSessionWhoseEventFailsTooOftenIsParkedUntilAnOperatorDecides() {
    deadBy(DeadEventPolicy.PARK);
    assertThat(delivered(sessions.poll(1, 10))).isEmpty();
    givesBack("a");
    sessions.reopen();
    sessions.poll(1, 0);
    assertThat(sessions.store.show(QUEUE, "a").session().state()).isEqualTo(SessionState.PARKED);
    assertThat(sessions.store.show(QUEUE, "a").session().waitsFor()).contains("failed 3 times");
    sessions.store.act(QUEUE, "a", SessionAction.MOVE, null);
    sessions.commit();
    assertThat(delivered(sessions.poll(1, 10))).contains("a:1,2,3");
  }

  @Test
  void anEventThatFailsTooOftenIsSkipped() {
    deadBy(DeadEventPolicy.SKIP);
    assertThat(delivered(sessions.poll(1, 10))).isEqualTo("a:3");
    assertThat(sessions.store.figures().get(QUEUE).sessions().skipped()).isOne();
  }

  @Test
  void aSessionWhoseEventFailsTooOftenIsClosed() {
    deadBy(DeadEventPolicy.CLOSE);
    assertThat(sessions.put("a", "a8")).isEqualTo("UNAVAILABLE");
    givesBack("a");
    assertThat(sessions.session("a")).isNull();
    assertThat(sessions.store.show(QUEUE, "a").session().state()).isEqualTo(SessionState.COMPLETED);
    assertThat(sessions.put("a", "a9")).isEqualTo("DUPLICATE");
  }

  @Test
  void failuresOfDifferentEventsDoNotAddUp() {
    abc();
    sessions.poll(1, 10);
    report("a", 3, ResultKind.ACKNOWLEDGED);
    sessions.store.leave(QUEUE, w(1), PROCESS);
    sessions.commit();
    sessions.register(2);
    sessions.poll(2, 10);
    SessionNumber number = number("a");
    for (long done = 0; done < 3; done++) {
      PollAnswered again = sessions.poll(2, 10, result("a", number, done, ResultKind.FAILED));
      assertThat(attempts(again)).startsWith(2).doesNotContain(3);
      sessions.reopen();
      sessions.pollAs(2, PROCESS, sessions.lastPoll(2), 10);
    }
    assertThat(sessions.session("a").parked()).isNull();
  }

  private static List<Integer> attempts(PollAnswered answer) {
    return answer.sessions().get(0).events().stream().map(SessionEvent::attempt).toList();
  }

  @Test
  void aFailureOfAnotherEventBeginsTheCountAnew() {
    sessions.put(event("a", "a1"), event("a", "a2"));
    sessions.poll(1, 10);
    report("a", 1, ResultKind.FAILED);
    report("a", 1, ResultKind.FAILED);
    sessions.store.leave(QUEUE, w(1), PROCESS);
    sessions.commit();
    sessions.register(2);
    sessions.poll(2, 10);
    SessionResult failed = result("a", number("a"), 0, ResultKind.FAILED);
    assertThat(attempts(sessions.poll(2, 10, failed))).containsExactly(2, 1);
    assertThat(sessions.session("a").parked()).isNull();
  }

  @Test
  void failuresOfOneEventAddUpOverWorkersAndRestarts() {
    sessions.put(event("a", "a1"), event("a", "a2"));
    sessions.poll(1, 10);
    report("a", 1, ResultKind.FAILED);
    report("a", 1, ResultKind.FAILED);
    sessions.store.leave(QUEUE, w(1), PROCESS);
    sessions.commit();
    sessions.reopen();
    sessions.register(2);
    PollAnswered replayed = sessions.poll(2, 10);
    assertThat(attempts(replayed)).containsExactly(1, 3);
    sessions.poll(2, 10, result("a", number("a"), 1, ResultKind.FAILED));
    assertThat(sessions.session("a").parked()).startsWith("event 2 failed 3 times");
  }

  @Test
  void ofALongReasonTheBeginningIsKept() {
    sessions.maxAttempts = 1;
    sessions.put("a", "a1");
    SessionNumber number = sessions.poll(1, 10).sessions().get(0).number();
    String reason = "x".repeat(1 << 20);
    report(new SessionResult("a", number, 0, ResultKind.FAILED, null, reason));
    assertThat(sessions.session("a").parked()).startsWith("event 1 failed 1 time: xxx");
    assertThat(sessions.session("a").parked().length()).isLessThan(1_100);
  }

  @Test
  void aSessionThatIsMovedIsGivenBackOrTakenAfterTheDeadlineOfItsWorker() {
    abc();
    sessions.poll(1, 10);
    sessions.available(2);
    sessions.store.act(QUEUE, "a", SessionAction.MOVE, "too slow");
    sessions.store.act(QUEUE, "b", SessionAction.MOVE, "too slow");
    sessions.commit();
    PollAnswered told = sessions.poll(1, 10);
    assertThat(told.revoked()).extracting(RevokedSession::key).containsExactly("a", "b");
    assertThat(report("a", 1, ResultKind.RELEASED)).isEqualTo(ResultOutcome.DONE);
    assertThat(sessions.session("a").worker()).isNotNull();
    sessions.clock.advance(SessionStoreFixture.DEADLINE.minusNanos(1));
    sessions.look();
    assertThat(number("b").handover()).isOne();
    sessions.clock.advance(Duration.ofNanos(1));
    sessions.look();
    assertThat(number("b").handover()).isEqualTo(2);
    assertThat(sessions.store.show(QUEUE, "b").history())
        .extracting(moment -> moment.what() + " " + moment.reason())
        .containsExactly(
            "ASSIGNED null",
            "REVOKED too slow",
            "RETURNED its worker did not give it back in time",
            "ASSIGNED null");
    assertThat(sessions.store.show(QUEUE, "a").history())
        .extracting(SessionMoment::reason)
        .contains("moved by an operator");
  }

  @Test
  void theHistoryOfASessionThatHasEndedNamesWhoCompletedIt() {
    sessions.put("a", "a1");
    SessionNumber number = sessions.poll(1, 10).sessions().get(0).number();
    sessions.store.retire(QUEUE, SessionStoreFixture.w(1), "by ann");
    sessions.commit();
    sessions.available(2);
    SessionNumber next = sessions.poll(2, 10).sessions().get(0).number();
    sessions.poll(2, 0, result("a", next, 1, ResultKind.COMPLETED));
    assertThat(sessions.store.show(QUEUE, "a").history())
        .extracting(SessionMoment::what, SessionMoment::worker, SessionMoment::reason)
        .containsExactly(
            tuple("ASSIGNED", SessionStoreFixture.w(1), null),
            tuple("RETURNED", SessionStoreFixture.w(1), "its worker was retired by ann"),
            tuple("ASSIGNED", SessionStoreFixture.w(2), null),
            tuple("COMPLETED", SessionStoreFixture.w(2), null));
    assertThat(number.compareTo(next)).isNegative();
  }

  /** As on a stream, where the node counts its answers. */
  @Test
  void aFailureIsCountedOnceAlsoIfItsReportIsAnsweredUnderAnotherNumberAfterARestart() {
    sessions.put("a", "a1");
    SessionNumber number = sessions.poll(1, 10).sessions().get(0).number();
    SessionPoll report =
        new SessionPoll(PROCESS, 9, 0, null, List.of(result("a", number, 0, ResultKind.FAILED)));
    sessions.streamed(1, report, 1_000);
    assertThat(sessions.session("a").attempts(1)).isOne();
    sessions.reopen();
    assertThat(sessions.streamed(1, report, 5_000).poll()).isEqualTo(9);
    assertThat(sessions.session("a").attempts(1)).isOne();
  }

  @Test
  void resultsThatWereNotCommittedAreNotedWhenTheirReportIsRepeated() {
    sessions.put("a", "a1");
    SessionNumber number = sessions.poll(1, 10).sessions().get(0).number();
    SessionPoll report =
        new SessionPoll(
            PROCESS, 9, 0, null, List.of(result("a", number, 1, ResultKind.ACKNOWLEDGED)));
    sessions.store.poll(QUEUE, SessionStoreFixture.w(1), report, 1_000, 1, sessions.delivery(), 1);
    sessions.store.rollback();
    assertThat(sessions.streamed(1, report, 1_001).answers()).hasSize(1);
    assertThat(sessions.session("a").acknowledged()).isOne();
  }

  @Test
  void theHistoryOfAKeyThatIsOpenedAgainHasThatItWasDropped() {
    sessions.put("a", "a1");
    SessionNumber number = sessions.poll(1, 10).sessions().get(0).number();
    sessions.poll(1, 0, result("a", number, 1, ResultKind.COMPLETED));
    sessions.store.act(QUEUE, "a", SessionAction.DROP, "by ann: sent by mistake");
    sessions.commit();
    sessions.put("a", "a2");
    assertThat(sessions.store.show(QUEUE, "a").history())
        .extracting(SessionMoment::what, SessionMoment::number, SessionMoment::reason)
        .contains(tuple("DROPPED", number, "by ann: sent by mistake"));
  }

  @Test
  void aFailureIsCountedOnceAlsoIfItsReportIsRepeatedAfterARestart() {
    sessions.put("a", "a1");
    SessionNumber number = sessions.poll(1, 10).sessions().get(0).number();
    SessionResult failed = result("a", number, 0, ResultKind.FAILED);
    sessions.poll(1, 0, failed);
    assertThat(sessions.session("a").attempts(1)).isOne();
    sessions.reopen();
    PollAnswered again = sessions.pollAs(1, PROCESS, sessions.lastPoll(1), 10, failed);
    assertThat(again.answers())
        .extracting(ResultAnswer::outcome)
        .containsExactly(ResultOutcome.DONE);
    assertThat(sessions.session("a").attempts(1)).isOne();
    assertThat(delivered(again)).isEqualTo("a:1");
    sessions.poll(1, 0, failed);
    assertThat(sessions.session("a").attempts(1)).isEqualTo(2);
  }

  @Test
  void aWorkerWithoutProgressIsNoticed() {
    abc();
    sessions.poll(1, 10);
    sessions.clock.advance(Duration.ofSeconds(9));
    assertThat(sessions.store.figures().get(QUEUE).sessions().stalledSeconds()).isEqualTo(9);
    assertThat(sessions.store.figures().get(QUEUE).sessions().stalledWorker())
        .isEqualTo(SessionStoreFixture.w(1));
    assertThat(sessions.store.workers(QUEUE).get(0).oldestUnacknowledgedSeconds()).isEqualTo(9);
    report("a", 3, ResultKind.ACKNOWLEDGED);
    report("b", 3, ResultKind.ACKNOWLEDGED);
    assertThat(sessions.store.figures().get(QUEUE).sessions().stalledSeconds()).isZero();
  }

  @Test
  void aWorkerThatIsAskedToLeaveGetsNoFurtherSessions() {
    assertThat(sessions.store.askToLeave(QUEUE, w(1), "by ann: a new version")).isTrue();
    sessions.put("a", "a1");
    assertThat(sessions.poll(1, 10).leave()).isTrue();
    assertThat(sessions.session("a").worker()).isNull();
    assertThat(sessions.store.askToLeave(QUEUE, w(5), "by ann")).isFalse();
  }

  @Test
  void aCopyOfAnEarlierPollThatArrivesLateIsRefused() {
    sessions.maxAttempts = 3;
    sessions.put("a", "e1");
    SessionNumber number = sessions.pollAs(1, PROCESS, 2, 10).sessions().get(0).number();
    SessionResult failed = result("a", number, 0, ResultKind.FAILED);
    sessions.pollAs(1, PROCESS, 3, 10, failed);
    sessions.pollAs(1, PROCESS, 4, 10, failed);
    assertThatThrownBy(() -> sessions.pollAs(1, PROCESS, 3, 10, failed))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.STALE_REQUEST))
        .hasMessage(
            "poll 3 of this process came after its poll 4; its polls are counted up from 1");
    assertThat(sessions.session("a").attempts(1)).isEqualTo(2);
    assertThat(sessions.pollAs(1, PROCESS, 4, 10, failed).answers()).hasSize(1);
    assertThat(sessions.session("a").attempts(1)).isEqualTo(2);
  }

  @Test
  void theHistoryNamesWhoAskedAWorkerToEnd() {
    sessions.put("a", "a1");
    sessions.put("b", "b1");
    SessionNumber number = sessions.poll(1, 10).sessions().get(0).number();
    sessions.store.askToLeave(QUEUE, w(1), "by ann: a new version");
    sessions.poll(1, 0, result("a", number, 0, ResultKind.RELEASED));
    sessions.store.leave(QUEUE, w(1), PROCESS);
    sessions.commit();
    for (String key : List.of("a", "b")) {
      assertThat(sessions.store.show(QUEUE, key).history())
          .extracting(moment -> moment.what() + " " + moment.reason())
          .containsExactly(
              "ASSIGNED null", "RETURNED its worker was asked to end by ann: a new version");
    }
  }

  @Test
  void ofALongReasonOnlyTheBeginningIsKept() {
    sessions.maxAttempts = 1;
    sessions.put("a", "e1");
    sessions.poll(1, 10);
    report(new SessionResult("a", number("a"), 0, ResultKind.FAILED, null, "long ".repeat(10_000)));
    assertThat(sessions.session("a").parked())
        .startsWith("event 1 failed 1 time: long long")
        .hasSizeLessThan(2_100);
  }

  @Test
  void aSessionWithAnEventThatCannotBeReadIsParkedAndTheWorkerGetsTheOthers() {
    byte[] data = {'1'};
    NewEvent unreadable = new NewEvent("a2", data, "nonsense");
    sessions.put(event("a", "a1"), new KeyedEvent(unreadable, "a", SessionKey.slot("a"), 0));
    sessions.put("b", "b1");
    PollAnswered first = sessions.poll(1, 10);
    assertThat(delivered(first)).isEqualTo("a:1 b:1");
    PollAnswered next =
        sessions.poll(1, 10, result(first.sessions().get(0), ResultKind.ACKNOWLEDGED));
    assertThat(delivered(next)).isEmpty();
    assertThat(sessions.store.show(QUEUE, "a").session().waitsFor())
        .contains("the attributes of event 2 cannot be read");
    sessions.put("b", "b2");
    assertThat(
            delivered(
                sessions.poll(1, 10, result(first.sessions().get(1), ResultKind.ACKNOWLEDGED))))
        .isEqualTo("b:2");
    sessions.reopen();
    SessionStateCheck.check(sessions);
  }
}
