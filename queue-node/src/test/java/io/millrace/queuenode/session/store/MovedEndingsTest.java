package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static io.millrace.queuenode.session.store.SessionStoreFixture.delivered;
import static io.millrace.queuenode.session.store.SessionStoreFixture.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionView.SessionFigures;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.RevokedSession;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions that are to end while their slot goes to another node. */
class MovedEndingsTest {
  private static final int SLOT = SessionKey.slot("a");

  @TempDir private Path folder;
  private SessionStoreFixture giver;
  private SessionStoreFixture taker;

  @BeforeEach
  void open() {
    giver = SessionStoreFixture.withAllSlots(folder.resolve("giver"));
    taker = new SessionStoreFixture(folder.resolve("taker"), "node-2", giver.clock).open();
    taker.available(9);
  }

  @AfterEach
  void close() {
    giver.close();
    taker.close();
  }

  private void seal() {
    giver.store.seal(QUEUE, List.of(SLOT));
    giver.commit();
  }

  private void arrives() {
    taker.arrives(giver.export(SLOT, null));
    taker.commit();
    SessionStateCheck.check(taker);
  }

  private SessionFigures figures() {
    return taker.store.figures().get(QUEUE).sessions();
  }

  /** The new owner accepts an event before the worker has completed the key. */
  @Test
  void aCompletionWhileTheSlotIsGivenAwayDoesNotEndWhatTheNewOwnerHasAccepted() {
    completedWhileSealed("a9");
    arrives();
    taker.reopen();
    PollAnswered answer = taker.poll(9, 10);
    assertThat(delivered(answer)).isEqualTo("a:1,2");
    assertThat(answer.sessions().get(0).replayed()).isOne();
    assertThat(figures().duplicates()).isZero();
  }

  @Test
  void aKeyThatIsCompletedWhileItsSlotIsGivenAwayEndsAtTheNewOwnerIfThereIsNothingMore() {
    completedWhileSealed(null);
    arrives();
    taker.reopen();
    taker.look();
    assertThat(taker.session("a")).isNull();
    assertThat(taker.store.show(QUEUE, "a").session().state()).isEqualTo(SessionState.COMPLETED);
    assertThat(taker.put("a", "a1")).isEqualTo("REPEATED");
    assertThat(taker.put("a", "a2")).isEqualTo("DUPLICATE");
  }

  @Test
  void aKeyThatIsCompletedEndsIfItsSlotIsNotGivenAway() {
    completedWhileSealed(null);
    giver.store.unseal(QUEUE, List.of(SLOT));
    giver.look();
    assertThat(giver.session("a")).isNull();
    assertThat(giver.put("a", "a2")).isEqualTo("DUPLICATE");
  }

  /** It was to end as it was idle, and its worker gives it back when its slot goes elsewhere. */
  @Test
  void anIdleSessionGoesOnWithWhatTheNewOwnerHasAccepted() {
    giver.rules = giver.rules.withIdle(Duration.ofMinutes(1));
    giver.available(1);
    giver.put("a", "a1");
    SessionResult done = result(giver.poll(1, 10).sessions().get(0), ResultKind.ACKNOWLEDGED);
    giver.poll(1, 0, done);
    giver.clock.advance(Duration.ofMinutes(1));
    giver.poll(1, 0);
    giver.look();
    assertThat(giver.session("a").ending()).isEqualTo(SessionEnding.IDLE);
    seal();
    taker.take(2, List.of("node-1"), true, SLOT);
    taker.put("a", "a2");
    giver.poll(1, 0, result("a", done.number(), 1, ResultKind.RELEASED));
    arrives();
    taker.look();
    assertThat(delivered(taker.poll(9, 10))).isEqualTo("a:1,2");
  }

  private void completedWhileSealed(String accepted) {
    giver.available(1);
    giver.put("a", "a1");
    PollAnswered answer = giver.poll(1, 10);
    seal();
    taker.take(2, List.of("node-1"), true, SLOT);
    if (accepted != null) {
      assertThat(taker.put("a", accepted)).isEqualTo("STORED");
    }
    SessionResult completed = result(answer.sessions().get(0), ResultKind.COMPLETED);
    assertThat(outcome(giver.poll(1, 0, completed))).isEqualTo(ResultOutcome.CONTINUES);
    giver.reopen();
    giver.look();
    PollAnswered again = giver.poll(1, 0, completed);
    assertThat(outcome(again)).as("its answer was lost").isEqualTo(ResultOutcome.CONTINUES);
    assertThat(again.revoked()).extracting(RevokedSession::key).containsExactly("a");
    SessionResult released = result("a", completed.number(), 1, ResultKind.RELEASED);
    assertThat(outcome(giver.poll(1, 0, released))).isEqualTo(ResultOutcome.DONE);
  }

  private static ResultOutcome outcome(PollAnswered answer) {
    return answer.answers().get(0).outcome();
  }
}
