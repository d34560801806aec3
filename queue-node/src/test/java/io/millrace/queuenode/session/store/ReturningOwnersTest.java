package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.PROCESS;
import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static io.millrace.queuenode.session.store.SessionStoreFixture.firstEventOnly;
import static io.millrace.queuenode.session.store.SessionStoreFixture.result;
import static io.millrace.queuenode.session.store.SessionStoreFixture.w;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import io.millrace.api.session.SessionDefinition.DuplicatePolicy;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionView.SessionFigures;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.Sending;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several earlier owners of a slot return, and what one sends is judged beside what another sent.
 */
class ReturningOwnersTest {
  private static final int SLOT = SessionKey.slot("a");
  private static final Duration REMEMBER = Duration.ofMinutes(10);

  @TempDir private Path folder;
  private SessionStoreFixture a;
  private SessionStoreFixture b;
  private SessionStoreFixture c;

  @BeforeEach
  void open() {
    a = SessionStoreFixture.withAllSlots(folder.resolve("a"));
    b = new SessionStoreFixture(folder.resolve("b"), "node-2", a.clock).open();
    c = new SessionStoreFixture(folder.resolve("c"), "node-3", a.clock).open();
    a.look();
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
    c.close();
  }

  private static SlotPage export(SessionStoreFixture from, String... undrained) {
    from.store.seal(QUEUE, List.of(SLOT));
    from.store.endArrivals(QUEUE, SLOT, List.of(undrained));
    SlotPage page = from.export(SLOT, null);
    from.commit();
    return page;
  }

  private static void arrives(SessionStoreFixture to, SlotPage page) {
    SlotPageCheck.require(page);
    to.arrives(page);
    to.commit();
    to.look();
    SessionStateCheck.check(to);
  }

  private static void work(SessionStoreFixture at, ResultKind kind, String snapshot) {
    at.register(9);
    for (var one : at.poll(9, 100).sessions()) {
      SessionResult done = result(one, kind);
      TextNode state = snapshot == null ? null : TextNode.valueOf(snapshot);
      at.poll(9, 0, new SessionResult(one.key(), one.number(), done.through(), kind, state, null));
    }
    at.store.leave(QUEUE, w(9), PROCESS);
    at.commit();
  }

  /** A worker has them, and leaves without having done anything. */
  private static void had(SessionStoreFixture at) {
    at.register(9);
    at.poll(9, 100);
    at.store.leave(QUEUE, w(9), PROCESS);
    at.commit();
  }

  /** B goes on without A's e1, and completes the key with e2. */
  private SessionNumber completedAtB() {
    a.put("a", "e1");
    b.take(2, List.of("node-1"), false, SLOT);
    b.look();
    b.put("a", "e2");
    b.register(9);
    SessionNumber completed = b.poll(9, 100).sessions().get(0).number();
    b.poll(9, 0, result("a", completed, 1, ResultKind.COMPLETED));
    b.store.leave(QUEUE, w(9), PROCESS);
    return completed;
  }

  /** C waits for A, whose e1 has arrived, and for B. */
  private void allOfAHasArrived() {
    a.put("a", "e1");
    c.take(3, List.of("node-1", "node-2"), true, SLOT);
    c.put("a", "e2");
    c.look();
    arrives(c, export(a, "node-1", "node-2"));
  }

  /** What A sends of a key that it has completed. */
  private SlotPage completedAndRemembered() {
    for (SessionStoreFixture one : List.of(a, b, c)) {
      one.rules = one.rules.withRemember(REMEMBER);
    }
    a.put("a", "e1");
    work(a, ResultKind.COMPLETED, null);
    return export(a);
  }

  private static SessionFigures figures(SessionStoreFixture at) {
    return at.store.figures().get(QUEUE).sessions();
  }

  private static String other() {
    int i = 0;
    while (SessionKey.slot("s" + i) != SLOT) {
      i++;
    }
    return "s" + i;
  }

  private static String got(SessionStoreFixture at) {
    at.register(9);
    PollAnswered answer = at.poll(9, 100);
    List<String> got = new ArrayList<>();
    answer.sessions().forEach(one -> one.events().forEach(event -> got.add(event.id())));
    return String.join(" ", got);
  }

  /** With {@code continue}: A completed the key with e1, of which B knows nothing. */
  @Test
  void idsOfEventsThatASnapshotCoversAreKeptWhenARepeatedOneIsRemoved() {
    a.put("a", "e1");
    work(a, ResultKind.COMPLETED, null);
    SlotPage page = export(a);
    b.take(2, List.of("node-1"), false, SLOT);
    b.look();
    assertThat(b.put("a", "e2")).isEqualTo("STORED");
    work(b, ResultKind.SNAPSHOT, "state");
    assertThat(b.session("a").covered()).isEqualTo(1);
    assertThat(b.put("a", "e2")).isEqualTo("REPEATED");
    assertThat(b.put("a", "e1")).isEqualTo("STORED");
    assertThat(b.put("a", "e3")).isEqualTo("STORED");
    arrives(b, page);
    assertThat(b.session("a").accepted()).isEqualTo(2);
    assertThat(b.put("a", "e2")).as("sent again, covered by the snapshot").isEqualTo("REPEATED");
  }

  /** With {@code wait}: A is lost while it sends to B, B is lost; A sends all to C, then B does. */
  @Test
  void aPartThatGoesOnByAnotherOwnerDoesNotChangeTheOrder() {
    a.put("a", "e1");
    a.put("a", "e2");
    a.put("a", "e3");
    had(a);
    b.take(2, List.of("node-1"), true, SLOT);
    b.look();
    arrives(b, firstEventOnly(export(a, "node-1"), Sending.to(2)));
    b.put("a", "b1");
    c.take(3, List.of("node-1", "node-2"), true, SLOT);
    c.look();
    c.put("a", "c1");
    arrives(c, export(a, "node-1", "node-2"));
    // The row says that A's has arrived.
    c.take(3, List.of("node-2"), true, SLOT);
    arrives(c, export(b, "node-2"));
    assertThat(got(c)).isEqualTo("e1 e2 e3 b1 c1");
  }

  /** The same; a worker had done the first two. */
  @Test
  void aPartThatGoesOnByAnotherOwnerDoesNotChangeTheOrderOfAcknowledgedEvents() {
    a.put("a", "e1");
    a.put("a", "e2");
    work(a, ResultKind.ACKNOWLEDGED, null);
    a.put("a", "e3");
    b.take(2, List.of("node-1"), true, SLOT);
    b.look();
    arrives(b, firstEventOnly(export(a, "node-1"), Sending.to(2)));
    b.put("a", "b1");
    c.take(3, List.of("node-1", "node-2"), true, SLOT);
    c.look();
    arrives(c, export(a, "node-1", "node-2"));
    c.take(3, List.of("node-2"), true, SLOT);
    arrives(c, export(b, "node-2"));
    assertThat(got(c)).isEqualTo("e1 e2 e3 b1");
  }

  // A has e1, C goes on without it and completes the key with e2, and then B has the slot.
  private void completedWithoutTheFirstEvent() {
    a.put("a", "e1");
    c.take(2, List.of("node-1"), false, SLOT);
    c.look();
    c.put("a", "e2");
    work(c, ResultKind.COMPLETED, null);
    b.take(3, List.of("node-1", "node-3"), false, SLOT);
    b.look();
  }

  /** With {@code continue}: C completed the key without A's event; A returns to B, then C. */
  @Test
  void anEventOfAReturnedNodeIsNotTakenForOneThatWasAcceptedSince() {
    completedWithoutTheFirstEvent();
    arrives(b, export(a, "node-1", "node-3"));
    assertThat(b.session("a").accepted()).isEqualTo(1);
    arrives(b, export(c, "node-3"));
    assertThat(b.session("a")).as("e1 was accepted and never delivered").isNotNull();
    assertThat(got(b)).isEqualTo("e1");
  }

  /** The same; B has accepted an event itself, which comes first. */
  @Test
  void aSessionIsAsOldAsTheEventsThatWereAddedToIt() {
    completedWithoutTheFirstEvent();
    b.put("a", "e3");
    arrives(b, export(a, "node-1", "node-3"));
    b.reopen();
    b.look();
    arrives(b, export(c, "node-3"));
    assertThat(got(b)).isEqualTo("e3 e1");
  }

  /** With {@code continue} and {@code reopen}. */
  @Test
  void theNumberOfAReopenedKeyRisesAlsoWhenOlderEventsAreAddedToIt() {
    b.rules = b.rules.withDuplicates(DuplicatePolicy.REOPEN);
    SessionNumber completed = completedAtB();
    b.put("a", "e3");
    arrives(b, export(a, "node-1"));
    b.reopen();
    b.look();
    assertThat(got(b)).isEqualTo("e3 e1");
    assertThat(b.session("a").number()).isGreaterThan(completed);
  }

  /** With {@code wait}: B is given up when all of A has arrived. */
  @Test
  void whatHasArrivedInTimeComesFirstAlsoIfAnotherOwnerIsNotWaitedForAnyMore() {
    allOfAHasArrived();
    assertThat(got(c)).as("B is waited for").isEmpty();
    c.store.leave(QUEUE, w(9), PROCESS);
    c.take(3, List.of(), false, SLOT);
    c.reopen();
    c.look();
    assertThat(got(c)).isEqualTo("e1 e2");
    assertThat(figures(c).late()).isZero();
  }

  /** With {@code continue}: B is lost too, and is not waited for when its workers have stopped. */
  @Test
  void whatHasArrivedInTimeComesFirstAlsoIfALostOwnerIsWaitedForNoLonger() {
    a.put("a", "e1");
    b.take(2, List.of("node-1"), false, SLOT);
    b.put("a", "e2");
    c.take(3, List.of("node-1", "node-2"), true, SLOT);
    c.put("a", "e3");
    c.look();
    arrives(c, export(a, "node-1", "node-2"));
    c.take(3, List.of("node-1", "node-2"), false, SLOT);
    assertThat(got(c)).isEqualTo("e1 e3");
    c.store.leave(QUEUE, w(9), PROCESS);
    arrives(c, export(b, "node-2"));
    assertThat(got(c)).isEqualTo("e1 e3 e2");
    assertThat(figures(c).late()).isOne();
  }

  /** A has sent a part, and is given up. */
  @Test
  void thePartsOfAnOwnerThatIsGivenUpComeFirst() {
    a.put("a", "e1");
    a.put("a", "e2");
    SlotPage page = export(a);
    c.take(2, List.of("node-1"), true, SLOT);
    c.put("a", "e3");
    c.look();
    arrives(c, firstEventOnly(page, page.sending()));
    c.take(2, List.of(), false, SLOT);
    c.look();
    assertThat(got(c)).isEqualTo("e1 e3");
  }

  /** The definition is not known yet when the wait ends. */
  @Test
  void whatHasArrivedInTimeComesFirstAlsoAfterARestart() {
    allOfAHasArrived();
    c.reopen();
    c.take(3, List.of("node-1", "node-2"), false, SLOT);
    c.look();
    assertThat(got(c)).as("B is waited for until it can be merged").isEmpty();
    c.store.leave(QUEUE, w(9), PROCESS);
    c.take(3, List.of("node-1", "node-2"), false, SLOT);
    assertThat(got(c)).isEqualTo("e1 e2");
  }

  /** With {@code continue}: the key was completed, and an earlier event returns. */
  @Test
  void aKeyThatWasCompletedGoesOnAboveItsNumber() {
    SessionNumber completed = completedAtB();
    arrives(b, export(a, "node-1"));
    b.reopen();
    b.look();
    assertThat(got(b)).isEqualTo("e1");
    assertThat(b.session("a").number()).isGreaterThan(completed);
  }

  /** A has the slot again while its worker still has the session, and waits for B. */
  @Test
  void aCompletionDoesNotEndWhatAnotherOwnerHadAcceptedBefore() {
    SessionResult completed = completedAfterB(true);
    assertThat(a.session("a").ending()).isEqualTo(SessionEnding.COMPLETED);
    a.store.leave(QUEUE, w(8), PROCESS);
    arrives(a, export(b, "node-1"));
    assertThat(got(a)).isEqualTo("e1 e2");
    assertThat(a.session("a").number()).isGreaterThan(completed.number());
  }

  /** The same with {@code continue}. */
  @Test
  void aLateEventThatWasAcceptedBeforeACompletionIsNoRepetition() {
    completedAfterB(false);
    assertThat(a.session("a")).isNull();
    a.store.leave(QUEUE, w(8), PROCESS);
    arrives(a, export(b, "node-1"));
    assertThat(got(a)).isEqualTo("e2");
  }

  private SessionResult completedAfterB(boolean waits) {
    a.put("a", "e1");
    a.register(8);
    SessionResult completed = result(a.poll(8, 100).sessions().get(0), ResultKind.COMPLETED);
    a.store.seal(QUEUE, List.of(SLOT));
    b.take(2, List.of("node-1"), true, SLOT);
    b.look();
    b.put("a", "e2");
    a.take(3, List.of("node-2"), waits, SLOT);
    a.look();
    a.poll(8, 0, completed);
    return completed;
  }

  /** A completed the key; B accepted an event soon after, and C when the key was forgotten. */
  @Test
  void anEventThatWasAcceptedWhenItsKeyWasForgottenStaysAlsoBesideAnEarlierOne() {
    SlotPage page = completedAndRemembered();
    b.take(2, List.of("node-1"), true, SLOT);
    b.look();
    c.clock.advance(REMEMBER.dividedBy(2));
    b.put("a", "e5");
    c.take(3, List.of("node-1", "node-2"), true, SLOT);
    c.look();
    c.clock.advance(REMEMBER);
    c.put("a", "e7");
    // Before the node looks for what is to be forgotten.
    c.arrives(page);
    arrives(c, export(b, "node-1"));
    assertThat(got(c)).isEqualTo("e5 e7");
  }

  /** A completed the key so long ago that it would have forgotten it. */
  @Test
  void aSessionThatWasOpenedWhenItsKeyWasNoLongerRememberedStays() {
    SlotPage page = completedAndRemembered();
    b.take(2, List.of("node-1"), true, SLOT);
    b.look();
    b.clock.advance(REMEMBER);
    assertThat(b.put("a", "e1")).isEqualTo("STORED");
    assertThat(b.put("a", "e2")).isEqualTo("STORED");
    arrives(b, page);
    assertThat(got(b)).isEqualTo("e1 e2");
  }

  @Test
  void anEndThatArrivesOlderThanTheOnesBeforeItIsNotEnforcedForLonger() {
    SlotPage page = completedAndRemembered();
    b.clock.advance(REMEMBER.minusSeconds(1));
    b.take(2, List.of("node-1"), true, SLOT);
    b.look();
    String other = other();
    b.put(other, "o1");
    arrives(b, page);
    assertThat(b.put("a", "e2")).isEqualTo("DUPLICATE");
    b.clock.advance(Duration.ofSeconds(1));
    assertThat(b.put("a", "e2")).isEqualTo("STORED");
  }

  /** With {@code continue}: its worker has not given it back when A returns. */
  @Test
  void aSessionThatWasIdleDoesNotEndWithEventsThatReturn() {
    b.rules = b.rules.withIdle(Duration.ofHours(1));
    a.put("a", "e1");
    b.take(2, List.of("node-1"), false, SLOT);
    b.look();
    b.put("a", "e2");
    b.register(9);
    SessionResult done = result(b.poll(9, 100).sessions().get(0), ResultKind.ACKNOWLEDGED);
    b.poll(9, 0, done);
    b.clock.advance(Duration.ofMinutes(59));
    b.poll(9, 0);
    b.clock.advance(Duration.ofMinutes(1));
    b.look();
    assertThat(b.session("a").ending()).isEqualTo(SessionEnding.IDLE);
    arrives(b, export(a, "node-1"));
    b.reopen();
    b.look();
    b.poll(9, 0, result("a", done.number(), 1, ResultKind.RELEASED));
    assertThat(b.session("a")).as("e1 was accepted and never delivered").isNotNull();
    assertThat(b.session("a").unacknowledged()).isOne();
  }

  /** With {@code continue}: B completed the key; the last one to return has nothing at all. */
  @Test
  void aSecondReturnWithNothingDoesNotRemoveLateEvents() {
    a.put("a", "e1");
    b.take(3, List.of("node-3", "node-1"), false, SLOT);
    b.look();
    b.put("a", "e2");
    work(b, ResultKind.COMPLETED, null);
    arrives(b, export(a, "node-3", "node-1"));
    assertThat(b.session("a").accepted()).isEqualTo(1);
    arrives(
        b,
        new SlotPage(
            SLOT, 2, "node-3", SlotPage.Sending.to(3), 0, List.of(), List.of(), null, List.of()));
    assertThat(b.session("a")).as("e1 was accepted and never delivered").isNotNull();
    assertThat(got(b)).isEqualTo("e1");
  }
}
