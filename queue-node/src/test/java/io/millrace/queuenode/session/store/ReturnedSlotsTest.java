package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.PROCESS;
import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static io.millrace.queuenode.session.store.SessionStoreFixture.firstEventOnly;
import static io.millrace.queuenode.session.store.SessionStoreFixture.result;
import static io.millrace.queuenode.session.store.SessionStoreFixture.w;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import io.millrace.api.Json;
import io.millrace.api.session.SessionDefinition.DuplicatePolicy;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.MovedSession;
import io.millrace.api.session.SlotPage.Sending;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A slot comes back to a node that still has what it had of it, after others have worked on it. */
class ReturnedSlotsTest {
  private static final int SLOT = SessionKey.slot("a");
  @TempDir private Path folder;
  private SessionStoreFixture a;
  private SessionStoreFixture b;

  @BeforeEach
  void open() {
    a = SessionStoreFixture.withAllSlots(folder.resolve("a"));
    b = new SessionStoreFixture(folder.resolve("b"), "node-2", a.clock).open();
    a.rules = a.rules.withDuplicates(DuplicatePolicy.REOPEN);
    b.rules = a.rules;
    a.look();
    b.available(9);
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
  }

  private static SlotPage export(SessionStoreFixture from) {
    from.store.seal(QUEUE, List.of(SLOT));
    SlotPage page = from.export(SLOT, null);
    from.commit();
    return page;
  }

  private static void take(SessionStoreFixture to, SlotPage page) {
    to.arrives(page);
    to.commit();
    SessionStateCheck.check(to);
    String before = SessionStateCheck.durable(to);
    to.reopen();
    SessionStateCheck.same(SessionStateCheck.durable(to), before);
    to.look();
  }

  /** A worker gets what there is, reports this of it, and leaves; what it got. */
  private static PollAnswered work(SessionStoreFixture at, ResultKind kind, String snapshot) {
    at.register(9);
    PollAnswered got = at.poll(9, 100);
    got.sessions()
        .forEach(
            one -> {
              SessionResult done = result(one, kind);
              TextNode state = snapshot == null ? null : TextNode.valueOf(snapshot);
              at.poll(
                  9, 0, new SessionResult("a", one.number(), done.through(), kind, state, null));
            });
    at.store.leave(QUEUE, w(9), PROCESS);
    at.commit();
    return got;
  }

  private static String got(SessionStoreFixture at) {
    PollAnswered answer = work(at, ResultKind.RELEASED, null);
    List<String> got = new ArrayList<>();
    answer
        .sessions()
        .forEach(
            one -> {
              if (one.snapshot() != null) {
                got.add(new String(Json.writeBytes(one.snapshot())));
              }
              one.events()
                  .forEach(event -> got.add((event.n() <= one.replayed() ? "-" : "") + event.id()));
            });
    return String.join(" ", got);
  }

  /** A's slot goes to B without A knowing that it has arrived, comes back, and B's arrives late. */
  @ParameterizedTest
  @CsvSource({"false, ACKNOWLEDGED", "true, ACKNOWLEDGED", "false, SNAPSHOT", "true, SNAPSHOT"})
  void whatOthersHaveDoneWithACopyIsKept(boolean assignedBefore, ResultKind atB) {
    a.put("a", "e1");
    if (assignedBefore) {
      work(a, ResultKind.ACKNOWLEDGED, null);
    }
    b.take(2, List.of("node-1"), true, SLOT);
    take(b, export(a));
    b.put("a", "e2");
    work(b, atB, atB == ResultKind.SNAPSHOT ? "e1,e2" : null);
    a.take(3, List.of("node-2"), true, SLOT);
    a.put("a", "e3");
    take(a, export(b));
    assertThat(got(a)).isEqualTo(atB == ResultKind.SNAPSHOT ? "\"e1,e2\" e3" : "-e1 -e2 e3");
  }

  @ParameterizedTest
  @CsvSource({"false, true", "true, true", "false, false", "true, false"})
  void aKeyThatOthersHaveCompletedIsNotOpenedAgainByACopy(boolean assignedBefore, boolean waits) {
    a.put("a", "e1");
    if (assignedBefore) {
      work(a, ResultKind.ACKNOWLEDGED, null);
    }
    b.take(2, List.of("node-1"), true, SLOT);
    take(b, export(a));
    work(b, ResultKind.COMPLETED, null);
    a.take(3, List.of("node-2"), waits, SLOT);
    a.put("a", "e3");
    take(a, export(b));
    assertThat(got(a)).as("it was accepted after the key was completed").isEqualTo("e3");
  }

  @Test
  void whatALostNodesWorkersHaveDoneComesFirstForASuccessorAndTheRestLast() {
    a.put("a", "e1");
    work(a, ResultKind.ACKNOWLEDGED, null);
    a.put("a", "e2");
    b.take(2, List.of("node-1"), false, SLOT);
    b.put("a", "e3");
    work(b, ResultKind.ACKNOWLEDGED, null);
    take(b, export(a));
    assertThat(got(b)).isEqualTo("-e1 -e3 e2");
    assertThat(b.store.figures().get(QUEUE).sessions().late()).isOne();
  }

  @Test
  void theSnapshotOfALostNodeIsKeptIfThereIsNoOther() {
    a.put("a", "e1");
    work(a, ResultKind.SNAPSHOT, "e1");
    b.take(2, List.of("node-1"), false, SLOT);
    b.put("a", "e3");
    work(b, ResultKind.ACKNOWLEDGED, null);
    take(b, export(a));
    assertThat(b.put("a", "e1")).isEqualTo("REPEATED");
    assertThat(got(b)).isEqualTo("\"e1\" -e3");
  }

  @Test
  void aWorkerThatHasTheSessionGetsAllOfALostNodesEventsAfterItsOwn() {
    a.put("a", "e1");
    work(a, ResultKind.ACKNOWLEDGED, null);
    b.take(2, List.of("node-1"), false, SLOT);
    b.put("a", "e3");
    assertThat(b.poll(9, 10).sessions()).hasSize(1);
    take(b, export(a));
    assertThat(b.poll(9, 10).sessions().get(0).events())
        .extracting(one -> one.n() + one.id())
        .contains("2e1");
  }

  /** A sends a part to B, which is lost; A goes on, and B sends what it has of it. */
  @Test
  void whatHasArrivedOnlyInPartDoesNotReplaceWhatItsOwnerHas() {
    a.put("a", "e1");
    SlotPage page = export(a);
    b.take(2, List.of("node-1"), true, SLOT);
    b.arrives(
        new SlotPage(
            SLOT, 1, "node-1", page.sending(), 0, List.of(), List.of(), "more", page.contained()));
    b.commit();
    a.take(3, List.of("node-2"), true, SLOT);
    b.store.seal(QUEUE, List.of(SLOT));
    b.store.endArrivals(QUEUE, SLOT, List.of("node-2"));
    b.commit();
    take(a, export(b));
    assertThat(got(a)).isEqualTo("e1");
  }

  /** A's completed key arrives at B, which waits for another one too, is restarted and gives up. */
  @Test
  void aNodeThatDoesNotKnowTheDefinitionYetLeavesItToTheNextOwnerWhatIsRepeated() {
    a.put("a", "e1");
    work(a, ResultKind.COMPLETED, null);
    b.take(2, List.of("node-1", "node-3"), true, SLOT);
    b.put("a", "e2");
    take(b, export(a));
    b.reopen();
    b.store.seal(QUEUE, List.of(SLOT));
    b.store.endArrivals(QUEUE, SLOT, List.of("node-3", "node-2"));
    b.commit();
    SlotPage page = b.export(SLOT, null);
    assertThat(page.sessions()).extracting(MovedSession::key).containsExactly("a");
    assertThat(page.completed()).hasSize(1);
    a.store.exported(QUEUE, SLOT, 1);
    a.take(3, List.of("node-2"), true, SLOT);
    take(a, page);
    assertThat(got(a)).isEqualTo("e2");
  }

  /** A's is here, B loses the slot and gets it back, and A sends its copy as it had no answer. */
  @Test
  void whatIsSetAsideIsNotTakenForACopyOfItself() {
    a.put("a", "e1");
    SlotPage page = export(a);
    b.take(2, List.of("node-1", "node-3"), true, SLOT);
    take(b, page);
    b.take(4, List.of("node-1", "node-3"), true, SLOT);
    take(b, page);
    b.take(4, List.of(), true, SLOT);
    assertThat(got(b)).isEqualTo("e1");
  }

  /** A completes the key and sends it to B; the event comes again to A, which gives it to B. */
  @Test
  void anEventThatArrivesOfAKeyThatIsCompletedHereIsNotDeliveredAgain() {
    a.put("a", "e1");
    work(a, ResultKind.COMPLETED, null);
    b.take(2, List.of("node-1"), true, SLOT);
    take(b, export(a));
    a.store.exported(QUEUE, SLOT, 1);
    a.commit();
    a.take(3, List.of("node-2"), true, SLOT);
    assertThat(a.put("a", "e1")).as("to be judged").isEqualTo("STORED");
    b.take(4, List.of("node-1"), true, SLOT);
    take(b, export(a));
    assertThat(got(b)).isEmpty();
  }

  /** The event comes again to B while it waits for A, which has completed it; B is lost twice. */
  @Test
  void anEventThatWaitedThroughTwoOwnershipsIsJudgedToo() {
    a.put("a", "e1");
    work(a, ResultKind.COMPLETED, null);
    b.take(2, List.of("node-1"), true, SLOT);
    assertThat(b.put("a", "e1")).isEqualTo("STORED");
    b.take(4, List.of("node-1"), true, SLOT);
    take(b, export(a));
    assertThat(got(b)).isEmpty();
  }

  @Test
  void anEventOfAKeyThatWasCompletedAndOpenedAgainIsNoticed() {
    a.put("a", "e1");
    work(a, ResultKind.COMPLETED, null);
    a.put("a", "e2");
    assertThat(a.put("a", "e1")).as("open again").isEqualTo("REPEATED");
    work(a, ResultKind.COMPLETED, null);
    assertThat(a.put("a", "e1")).as("completed again").isEqualTo("REPEATED");
    assertThat(a.put("a", "e2")).isEqualTo("REPEATED");
  }

  /** A is lost while it sends a long session, and what it had is given up. */
  @Test
  void anEventAfterAPartOfASessionThatWasGivenUpIsNotTakenForADoneOne() {
    a.put("a", "e1");
    a.put("a", "e2");
    a.put("a", "e3");
    work(a, ResultKind.ACKNOWLEDGED, null);
    b.take(2, List.of("node-1"), true, SLOT);
    b.arrives(firstEventOnly(export(a), Sending.to(2)));
    b.commit();
    // millrace node forget node-1 --force
    b.take(2, List.of(), true, SLOT);
    assertThat(b.put("a", "e4")).isEqualTo("STORED");
    assertThat(b.session("a").unacknowledged()).isEqualTo(1);
    assertThat(got(b)).isEqualTo("-e1 e4");
  }

  /** A has sent a part to B; the slot goes on to C, to which A sends all of it before B does. */
  @Test
  void aSlotWithAPartOfASessionCanBeSentOn() {
    a.put("a", "e1");
    a.put("a", "e2");
    a.put("a", "e3");
    work(a, ResultKind.ACKNOWLEDGED, null);
    b.take(2, List.of("node-1"), true, SLOT);
    b.arrives(firstEventOnly(export(a), Sending.to(2)));
    b.commit();
    b.store.seal(QUEUE, List.of(SLOT));
    b.store.endArrivals(QUEUE, SLOT, List.of("node-2"));
    b.commit();
    SlotPage page = b.store.export(QUEUE, SLOT, Sending.to(3), null);
    SlotPageCheck.require(page);
  }

  /** The first attempts to send a slot end before their last part; the next one sends all again. */
  @Test
  void aCompletedKeyThatArrivesInSeveralAttemptsIsRememberedOnce() {
    a.put("a", "e1");
    work(a, ResultKind.COMPLETED, null);
    b.take(2, List.of("node-1"), true, SLOT);
    SlotPage page = export(a);
    for (int i = 0; i < 5; i++) {
      b.arrives(
          new SlotPage(
              SLOT,
              1,
              "node-1",
              Sending.to(2),
              0,
              page.sessions(),
              page.completed(),
              "1/-1/1",
              page.contained()));
      b.commit();
    }
    take(b, page);
    assertThat(b.store.figures().get(QUEUE).sessions().remembered()).isEqualTo(1);
    SlotPage next = export(b);
    assertThat(next.completed()).hasSize(1);
  }

  /** A is the earliest owner, C the one after it; C's is here when B gets the slot once more. */
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void theEarliestOwnersEventsComeFirstAlsoIfALaterOnesHaveBeenSetAside(boolean taken) {
    a.put("a", "e1");
    SessionStoreFixture c = new SessionStoreFixture(folder.resolve("c"), "node-3", a.clock).open();
    c.rules = a.rules;
    c.take(2, List.of("node-1"), true, SLOT);
    c.look();
    c.put("a", "e2");
    b.take(3, List.of("node-1", "node-3"), true, SLOT);
    take(b, export(c));
    c.close();
    if (taken) {
      // Given to another one, which was lost, or the central database was restored.
      b.take(5, List.of("node-1"), true, SLOT);
    }
    take(b, export(a));
    assertThat(got(b)).isEqualTo("e1 e2");
  }

  @Test
  void theEarliestOwnersEventsComeFirstAlsoIfAWorkerHadThem() {
    a.put("a", "e1");
    a.put("a", "e2");
    a.register(9);
    a.poll(9, 0);
    PollAnswered one = a.poll(9, 1);
    assertThat(one.sessions()).hasSize(1);
    a.poll(
        9,
        0,
        SessionStoreFixture.result("a", one.sessions().get(0).number(), 1, ResultKind.RELEASED));
    a.store.leave(QUEUE, w(9), PROCESS);
    a.commit();
    SessionStoreFixture c = new SessionStoreFixture(folder.resolve("c"), "node-3", a.clock).open();
    c.rules = a.rules;
    c.take(2, List.of("node-1"), true, SLOT);
    c.look();
    c.put("a", "e3");
    b.take(3, List.of("node-1", "node-3"), true, SLOT);
    take(b, export(c));
    c.close();
    b.take(5, List.of("node-1"), true, SLOT);
    take(b, export(a));
    assertThat(got(b)).isEqualTo("-e1 e2 e3");
  }
}
