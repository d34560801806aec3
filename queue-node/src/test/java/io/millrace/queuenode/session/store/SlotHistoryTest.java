package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static io.millrace.queuenode.session.store.SessionStoreFixture.delivered;
import static io.millrace.queuenode.session.store.SessionStoreFixture.event;
import static io.millrace.queuenode.session.store.SessionStoreFixture.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SlotPage;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A slot that has gone through several nodes, one of which may have been lost meanwhile. */
class SlotHistoryTest {
  private static final int SLOT = SessionKey.slot("a");
  @TempDir private Path folder;
  private SessionStoreFixture a;
  private SessionStoreFixture b;
  private SessionStoreFixture c;

  @BeforeEach
  void open() {
    a = SessionStoreFixture.withAllSlots(folder.resolve("a"));
    b = new SessionStoreFixture(folder.resolve("b"), "node-2", a.clock).open();
    c = new SessionStoreFixture(folder.resolve("c"), "node-3", a.clock).open();
    for (SessionStoreFixture one : List.of(b, c)) {
      one.register(9);
      one.poll(9, 0);
    }
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
    c.close();
  }

  private static void seal(SessionStoreFixture one) {
    one.store.seal(QUEUE, List.of(SLOT));
    one.commit();
  }

  private static List<SlotPage> export(SessionStoreFixture from) {
    List<SlotPage> pages = new ArrayList<>();
    String next = null;
    do {
      pages.add(from.export(SLOT, next));
      from.commit();
      next = pages.get(pages.size() - 1).next();
    } while (next != null);
    return pages;
  }

  private static void take(SessionStoreFixture to, List<SlotPage> pages) {
    for (SlotPage page : pages) {
      to.arrives(page);
      to.commit();
      SessionStateCheck.check(to);
    }
  }

  private static List<String> ids(PollAnswered answer) {
    List<String> ids = new ArrayList<>();
    answer.sessions().forEach(s -> s.events().forEach(e -> ids.add(e.id())));
    return ids;
  }

  /** A -> B drained, B worked all; the row does not know yet that A is drained when B is lost. */
  @Test
  void aCopyThatAnEarlierOwnerStillHasDoesNotOpenACompletedKeyAgain() {
    a.put(event("a", "e1"), event("a", "e2"));
    seal(a);
    b.take(2, List.of("node-1"), true, SLOT);
    List<SlotPage> pages = export(a);
    take(b, pages);
    PollAnswered answer = b.poll(9, 10);
    assertThat(delivered(answer)).isEqualTo("a:1,2");
    b.poll(9, 0, result(answer.sessions().get(0), ResultKind.COMPLETED));
    // The answer to A was lost; the row still names A. B is lost, C gets the slot.
    c.take(3, List.of("node-1", "node-2"), true, SLOT);
    seal(b);
    take(c, pages);
    c.reopen();
    c.poll(9, 0);
    take(c, export(b));
    assertThat(ids(c.poll(9, 10))).as("all of it is completed").isEmpty();
  }

  /** The same, but the slot comes back to B. */
  @Test
  void aCopyThatArrivedUnderAnEarlierEpochIsNotTakenAgain() {
    a.put(event("a", "e1"), event("a", "e2"));
    seal(a);
    b.take(2, List.of("node-1"), true, SLOT);
    List<SlotPage> pages = export(a);
    take(b, pages);
    PollAnswered answer = b.poll(9, 10);
    b.poll(9, 0, result(answer.sessions().get(0), ResultKind.COMPLETED));
    b.take(4, List.of("node-1", "node-3"), true, SLOT);
    take(b, pages);
    b.take(4, List.of(), true, SLOT);
    assertThat(ids(b.poll(9, 10))).as("all of it is completed").isEmpty();
  }

  /** B accepts an event while it waits for A, and is lost before anything of A has arrived. */
  @Test
  void whatWasOpenedMeanwhileIsJudgedWhereTheKeyWasCompleted() {
    a.available(1);
    a.put(event("a", "e1"), event("a", "e2"));
    a.poll(1, 0, result(a.poll(1, 10).sessions().get(0), ResultKind.COMPLETED));
    seal(a);
    b.take(2, List.of("node-1"), true, SLOT);
    assertThat(b.put("a", "e2")).as("its answer was lost").isEqualTo("STORED");
    assertThat(b.put("a", "e3")).isEqualTo("STORED");
    // The slot comes back to A, and B returns.
    a.take(3, List.of("node-2"), true, SLOT);
    seal(b);
    take(a, export(b));
    assertThat(ids(a.poll(1, 10))).as("the key is completed").isEmpty();
    assertThat(a.put("a", "e3")).isEqualTo("DUPLICATE");
    String before = SessionStateCheck.durable(a);
    a.reopen();
    SessionStateCheck.same(SessionStateCheck.durable(a), before);
  }

  /** The same, and the slot does not come back to A but goes on to C. */
  @Test
  void whatWasOpenedMeanwhileIsJudgedWhereBothArrive() {
    a.available(1);
    a.put(event("a", "e1"));
    a.poll(1, 0, result(a.poll(1, 10).sessions().get(0), ResultKind.COMPLETED));
    seal(a);
    b.take(2, List.of("node-1"), true, SLOT);
    assertThat(b.put("a", "e2")).isEqualTo("STORED");
    c.take(3, List.of("node-1", "node-2"), true, SLOT);
    seal(b);
    take(c, export(b));
    take(c, export(a));
    assertThat(ids(c.poll(9, 10))).as("the key is completed").isEmpty();
    assertThat(c.put("a", "e2")).isEqualTo("DUPLICATE");
  }

  /** A has not removed its copy yet when the slot comes back to it. */
  @Test
  void aCopyThatIsStillHereWhenTheSlotComesBackCountsNoLonger() {
    String other = otherKey();
    a.put(event("a", "e1"), event("a", "e2"), event(other, "o1"));
    seal(a);
    b.take(2, List.of("node-1"), true, SLOT);
    take(b, export(a));
    b.poll(9, 10).sessions().forEach(one -> b.poll(9, 0, result(one, ResultKind.COMPLETED)));
    b.take(2, List.of(), true, SLOT);
    seal(b);
    a.take(3, List.of("node-2"), true, SLOT);
    // It is a duplicate, and the key was completed with it.
    assertThat(a.put(other, "o2")).isEqualTo("STORED");
    a.look();
    take(a, export(b));
    a.available(1);
    assertThat(ids(a.poll(1, 10))).as("all of it is completed").isEmpty();
    assertThat(a.put("a", "e1")).isEqualTo("REPEATED");
    String before = SessionStateCheck.durable(a);
    a.reopen();
    SessionStateCheck.same(SessionStateCheck.durable(a), before);
  }

  private static String otherKey() {
    int i = 0;
    while (SessionKey.slot("s" + i) != SLOT) {
      i++;
    }
    return "s" + i;
  }

  /** A snapshot of B covers more than the ids that it remembers; A's copy comes too. */
  @Test
  void aCopyOfWhatASnapshotCoversIsNotAppended() {
    KeyedEvent[] events = new KeyedEvent[200];
    for (int i = 0; i < events.length; i++) {
      events[i] = event("a", "e" + i);
    }
    a.put(events);
    seal(a);
    b.take(2, List.of("node-1"), true, SLOT);
    List<SlotPage> pages = export(a);
    take(b, pages);
    PollAnswered answer = b.poll(9, 1_000);
    b.poll(
        9,
        0,
        new SessionResult(
            "a",
            answer.sessions().get(0).number(),
            100,
            ResultKind.SNAPSHOT,
            Json.mapper().createObjectNode(),
            null));
    seal(b);
    b.poll(9, 0, result("a", answer.sessions().get(0).number(), 100, ResultKind.RELEASED));
    c.take(3, List.of("node-1", "node-2"), true, SLOT);
    take(c, pages);
    c.reopen();
    c.poll(9, 0);
    take(c, export(b));
    assertThat(c.session("a").accepted()).isEqualTo(200);
  }

  /** A -> B, B stores e2 and is lost, A gets the slot back and stores e3, B returns and sends. */
  @Test
  void aSlotThatComesBackKeepsTheOrderOfAcceptance() {
    a.look();
    a.put("a", "e1");
    seal(a);
    b.take(2, List.of("node-1"), true, SLOT);
    b.put("a", "e2");
    // B is lost: the row gives the slot back to A, with B as undrained.
    a.take(3, List.of("node-2"), true, SLOT);
    a.put("a", "e3");
    seal(b);
    take(a, export(b));
    a.available(1);
    assertThat(ids(a.poll(1, 10))).containsExactly("e1", "e2", "e3");
  }

  /** The same with a session that A's worker has had. */
  @Test
  void aSlotThatComesBackKeepsTheOrderOfAcceptanceOfASessionInWork() {
    a.available(1);
    a.put("a", "e1");
    PollAnswered had = a.poll(1, 10);
    seal(a);
    a.poll(1, 0, result("a", had.sessions().get(0).number(), 0, ResultKind.RELEASED));
    b.take(2, List.of("node-1"), true, SLOT);
    b.put("a", "e2");
    a.take(3, List.of("node-2"), true, SLOT);
    a.put("a", "e3");
    seal(b);
    take(a, export(b));
    a.look();
    assertThat(ids(a.poll(1, 10))).containsExactly("e1", "e2", "e3");
  }
}
