package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.PROCESS;
import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static io.millrace.queuenode.session.store.SessionStoreFixture.delivered;
import static io.millrace.queuenode.session.store.SessionStoreFixture.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionView.SessionMoment;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.RevokedSession;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A session is taken from a worker only when that has certainly stopped working on it. */
class SessionRevocationTest {
  private static final int SLOT = SessionKey.slot("a");
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

  private void seal() {
    sessions.store.seal(QUEUE, List.of(SLOT));
    sessions.commit();
  }

  @Test
  void aWorkerThatGoesOnAskingKeepsWhatItIsWorkingOnUntilItGivesItBack() {
    sessions.put("a", "e1");
    assertThat(delivered(sessions.poll(1, 10))).isEqualTo("a:1");
    seal();
    for (int i = 0; i < 31; i++) {
      assertThat(sessions.poll(1, 0).revoked()).hasSize(1);
      sessions.clock.advance(Duration.ofSeconds(1));
    }
    sessions.look();
    assertThat(sessions.session("a").worker()).as("its last call was a second ago").isNotNull();
    sessions.clock.advance(Duration.ofSeconds(29));
    sessions.look();
    assertThat(sessions.session("a").worker()).as("it has stopped").isNull();
  }

  @Test
  void theDeadlineOfARevocationBeginsWithTheLastAnswerThatToldIt() {
    sessions.put("a", "e1");
    sessions.poll(1, 10);
    seal();
    sessions.poll(1, 0);
    sessions.clock.advance(Duration.ofSeconds(29));
    // As the first answer was lost, it asks again under the same number, and is told 29 s later.
    PollAnswered again = sessions.pollAs(1, PROCESS, sessions.lastPoll(1), 0);
    assertThat(again.revoked()).hasSize(1);
    sessions.clock.advance(Duration.ofSeconds(2));
    sessions.look();
    assertThat(sessions.session("a").worker()).as("told two seconds ago").isNotNull();
  }

  @Test
  void whatAWorkerDidNotGiveBackInTimeComesBeforeWhatWaitsInItsOrder() {
    sessions.rules = sessions.rules.withMaxPerWorker(2);
    for (String key : List.of("b", "a", "c")) {
      sessions.put(key, "e1");
    }
    assertThat(delivered(sessions.poll(1, 10))).isEqualTo("b:1 a:1");
    for (String key : List.of("b", "a")) {
      sessions.store.act(QUEUE, key, SessionAction.MOVE, "hangs");
      sessions.commit();
    }
    sessions.poll(1, 0);
    sessions.clock.advance(sessions.rules.heartbeat());
    sessions.look();
    sessions.available(2, 3);
    assertThat(delivered(sessions.poll(2, 10))).isEqualTo("b:1 a:1");
    assertThat(delivered(sessions.poll(3, 10))).isEqualTo("c:1");
  }

  private List<String> many(int count) {
    List<KeyedEvent> events = new ArrayList<>();
    for (int i = 0; events.size() < count; i++) {
      if (SessionKey.slot("k" + i) == SLOT) {
        events.add(event("k" + i, "e" + i));
      }
    }
    sessions.put(events.toArray(new KeyedEvent[0]));
    assertThat(sessions.poll(1, 10_000).sessions()).hasSize(count);
    return events.stream().map(KeyedEvent::key).toList();
  }

  private static Set<String> told(PollAnswered answer) {
    return answer.revoked().stream().map(RevokedSession::key).collect(Collectors.toSet());
  }

  @Test
  void ofManyRevokedSessionsAWorkerIsToldAllInSeveralAnswers() {
    String last = many(1_001).get(1_000);
    seal();
    Set<String> told = new HashSet<>(told(sessions.poll(1, 0)));
    assertThat(told).hasSize(1_000);
    sessions.clock.advance(Duration.ofSeconds(20));
    told.addAll(told(sessions.poll(1, 0)));
    assertThat(told).hasSize(1_001);
    sessions.clock.advance(Duration.ofSeconds(11));
    sessions.look();
    assertThat(sessions.session(last).worker()).as("told eleven seconds ago").isNotNull();
  }

  @Test
  void aRepeatedPollIsToldTheSameSessionsAsInTheAnswerThatWasLost() {
    many(2_500);
    seal();
    Set<String> lost = told(sessions.poll(1, 0));
    assertThat(told(sessions.pollAs(1, PROCESS, sessions.lastPoll(1), 0))).isEqualTo(lost);
    assertThat(told(sessions.pollAs(1, PROCESS, 77, 0))).as("out of turn").isEqualTo(lost);
    Set<String> others = told(sessions.pollAs(1, PROCESS, 78, 0));
    assertThat(others).hasSize(1_000).doesNotContainAnyElementsOf(lost);
    sessions.rollsBack = true;
    sessions.pollAs(1, PROCESS, 79, 0);
    sessions.store.rollback();
    sessions.rollsBack = false;
    assertThat(told(sessions.pollAs(1, PROCESS, 78, 0))).isEqualTo(others);
    assertThat(told(sessions.pollAs(1, PROCESS, 79, 0)))
        .as("the last ones, and the first again")
        .hasSize(1_000)
        .doesNotContainAnyElementsOf(others);
  }

  @Test
  void aRepeatedPollIsAlsoToldOfWhatWasRevokedSince() {
    sessions.put(event("a", "e1"), event("b", "e1"));
    sessions.poll(1, 10);
    seal();
    assertThat(told(sessions.poll(1, 0))).containsExactly("a");
    sessions.store.seal(QUEUE, List.of(SessionKey.slot("b")));
    sessions.commit();
    assertThat(told(sessions.pollAs(1, PROCESS, sessions.lastPoll(1), 0)))
        .containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void aSessionIsNotTakenFromAWorkerThatGoesOnAskingAndMayNotHaveBeenToldOfIt() {
    String early = many(3_500).get(700);
    seal();
    // Whether the first answer, which alone has it, has arrived is not known here.
    for (int i = 0; i < 4; i++) {
      sessions.poll(1, 0);
      sessions.clock.advance(Duration.ofSeconds(15));
    }
    sessions.look();
    assertThat(sessions.session(early).worker()).isNotNull();
    sessions.clock.advance(Duration.ofSeconds(15));
    sessions.look();
    assertThat(sessions.session(early).worker()).as("it is silent").isNull();
  }

  private void given() {
    SessionNumber number = sessions.session("a").number();
    sessions.poll(1, 0, SessionStoreFixture.result("a", number, 0, ResultKind.RELEASED));
  }

  private List<String> reasonsOfReturns() {
    return sessions.store.show(QUEUE, "a").history().stream()
        .filter(one -> one.what().equals("RETURNED"))
        .map(SessionMoment::reason)
        .toList();
  }

  private void act(SessionAction action) {
    sessions.store.act(QUEUE, "a", action, "by ann");
    sessions.commit();
  }

  private void idleAndThenNot() {
    sessions.rules =
        sessions.rules.withIdle(Duration.ofHours(1)).withHeartbeat(Duration.ofHours(5));
    sessions.put("a", "e1");
    SessionDelivery delivery = sessions.poll(1, 10).sessions().get(0);
    sessions.poll(1, 0, SessionStoreFixture.result(delivery, ResultKind.ACKNOWLEDGED));
    sessions.clock.advance(Duration.ofHours(1));
    sessions.look();
    assertThat(sessions.poll(1, 0).revoked()).hasSize(1);
    sessions.put("a", "e2");
  }

  @Test
  void theHistoryHasWhyASessionWasRevokedAlsoIfThatIsOver() {
    idleAndThenNot();
    given();
    assertThat(reasonsOfReturns()).containsExactly("it was idle and was to end");
  }

  @Test
  void aSessionThatWasResumedWasRevokedBecauseItWasParked() {
    sessions.maxAttempts = 1;
    sessions.put("a", "e1");
    SessionNumber number = sessions.poll(1, 10).sessions().get(0).number();
    sessions.poll(1, 0, SessionStoreFixture.result("a", number, 0, ResultKind.FAILED));
    act(SessionAction.MOVE);
    given();
    assertThat(reasonsOfReturns()).containsExactly("it was parked");
  }

  @Test
  void onlyWhatAnOperatorMovesIsSaidToBeMoved() {
    sessions.put("a", "e1");
    sessions.poll(1, 10);
    act(SessionAction.MOVE);
    given();
    sessions.poll(1, 10);
    given();
    assertThat(reasonsOfReturns())
        .containsExactly("moved by an operator", "its worker returned it");
  }

  @Test
  void afterARestartTheReasonOfARevocationIsNotKnown() {
    idleAndThenNot();
    sessions.reopen();
    sessions.poll(1, 0);
    given();
    assertThat(reasonsOfReturns()).containsExactly(Session.ASKED_BACK);
  }
}
