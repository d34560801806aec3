package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static io.millrace.queuenode.session.store.SessionStoreFixture.delivered;
import static io.millrace.queuenode.session.store.SessionStoreFixture.event;
import static io.millrace.queuenode.session.store.SessionStoreFixture.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.Sending;
import io.millrace.queuenode.session.store.SessionStore.GrantedSlot;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A slot goes from one node to another with its sessions. */
class SlotMovesTest {
  private static final int SLOT = SessionKey.slot("a");

  @TempDir private Path folder;
  private SessionStoreFixture giver;
  private SessionStoreFixture taker;

  @BeforeEach
  void open() {
    giver = SessionStoreFixture.withAllSlots(folder.resolve("giver"));
    taker = new SessionStoreFixture(folder.resolve("taker"), "node-2", giver.clock).open();
    taker.register(9);
    taker.poll(9, 0);
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

  private List<SlotPage> export() {
    List<SlotPage> pages = new ArrayList<>();
    String next = null;
    do {
      pages.add(giver.export(SLOT, next));
      giver.commit();
      next = pages.get(pages.size() - 1).next();
    } while (next != null);
    return pages;
  }

  private void take(List<SlotPage> pages) {
    for (SlotPage page : pages) {
      taker.arrives(page);
      taker.commit();
      SessionStateCheck.check(taker);
    }
  }

  private SessionFigures figures() {
    return taker.store.figures().get(QUEUE).sessions();
  }

  /** Another key of the same slot. */
  private static String sibling(int number) {
    int found = 0;
    for (int i = 0; ; i++) {
      if (SessionKey.slot("s" + i) == SLOT && found++ == number) {
        return "s" + i;
      }
    }
  }

  @Test
  void theGiversEventsComeBeforeThoseThatTheNewOwnerHasStored() {
    giver.available(1);
    giver.put(event("a", "a1"), event("a", "a2"));
    PollAnswered answer = giver.poll(1, 10);
    giver.poll(1, 0, result("a", answer.sessions().get(0).number(), 1, ResultKind.ACKNOWLEDGED));
    seal();
    assertThat(giver.put("a", "a3")).isEqualTo("STALE_SLOT");
    assertThatThrownBy(() -> giver.export(SLOT, null))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
    PollAnswered told = giver.poll(1, 10);
    assertThat(told.revoked()).extracting(RevokedSession::key).containsExactly("a");
    giver.poll(1, 0, result("a", told.revoked().get(0).number(), 1, ResultKind.RELEASED));

    taker.take(2, List.of("node-1"), true, SLOT);
    assertThat(taker.put("a", "a3")).isEqualTo("STORED");
    assertThat(taker.put("a", "a2")).as("judged later").isEqualTo("STORED");
    assertThat(taker.put("a", "a4")).isEqualTo("STORED");
    assertThat(delivered(taker.poll(9, 10))).as("it waits").isEmpty();
    assertThat(taker.store.show(QUEUE, "a").session().waitsFor()).contains("node-1");
    List<SlotPage> pages = export();
    assertThat(export()).as("can be read again").usingRecursiveComparison().isEqualTo(pages);
    take(pages);
    take(pages);
    taker.reopen();
    PollAnswered first = taker.poll(9, 10);
    assertThat(delivered(first)).isEqualTo("a:1,2,3,4");
    assertThat(first.sessions().get(0).events())
        .extracting(one -> one.id())
        .containsExactly("a1", "a2", "a3", "a4");
    assertThat(first.sessions().get(0).replayed()).isOne();
    assertThat(first.sessions().get(0).number()).isEqualTo(new SessionNumber(2, 1));
    assertThat(figures().duplicates()).isOne();
    giver.store.exported(QUEUE, SLOT, 1);
    giver.commit();
    assertThat(giver.store.slots(QUEUE)).noneMatch(slot -> slot.slot() == SLOT);
    SessionStateCheck.check(giver);
  }

  @Test
  void aSessionThatNoWorkerHadIsNotHandedOverByItsFirstAssignmentElsewhere() {
    giver.available(1);
    giver.put("a", "a1");
    giver.poll(1, 10);
    giver.store.retire(QUEUE, SessionStoreFixture.w(1), "test");
    giver.store.act(QUEUE, "a", SessionAction.DROP, null);
    giver.put("a", "a2");
    assertThat(giver.session("a").number())
        .as("of the one before")
        .isEqualTo(new SessionNumber(1, 1));
    seal();
    taker.take(2, List.of("node-1"), true, SLOT);
    take(export());
    taker.reopen();
    assertThat(delivered(taker.poll(9, 10))).isEqualTo("a:1");
    assertThat(figures().handovers()).isZero();
  }

  @Test
  void aSessionThatWaitsForAnEarlierOwnerNamesThoseOfWhomSomethingIsMissing() {
    giver.put("a", "a1");
    seal();
    taker.take(2, List.of("node-3", "node-1"), true, SLOT);
    taker.put("a", "a2");
    assertThat(taker.store.show(QUEUE, "a").session().waitsFor()).contains("node-3, node-1");
    take(export());
    assertThat(taker.store.show(QUEUE, "a").session().waitsFor())
        .isEqualTo("the events of node-3 to arrive");
  }

  @Test
  void keysThatTheGiverHadCompletedAreJudgedBeforeTheyAreAssigned() {
    giver.available(1);
    giver.put("a", "a1");
    giver.poll(1, 0, result(giver.poll(1, 10).sessions().get(0), ResultKind.COMPLETED));
    seal();
    taker.take(2, List.of("node-1"), true, SLOT);
    assertThat(taker.put("a", "a9")).isEqualTo("STORED");
    take(export());
    assertThat(taker.session("a")).isNull();
    assertThat(figures().duplicates()).isOne();
    assertThat(taker.put("a", "a1")).isEqualTo("REPEATED");
    assertThat(taker.put("a", "a8")).isEqualTo("DUPLICATE");
  }

  @Test
  void whatHasArrivedIsJudgedOnlyWhenTheDefinitionIsKnownAgainAfterARestart() {
    giver.rules = giver.rules.withDuplicates(DuplicatePolicy.REOPEN);
    taker.rules = giver.rules;
    giver.available(1);
    giver.put("a", "a1");
    giver.poll(1, 0, result(giver.poll(1, 10).sessions().get(0), ResultKind.COMPLETED));
    seal();
    taker.poll(9, 0);
    taker.take(2, List.of("node-1", "node-7"), true, SLOT);
    take(export());
    assertThat(taker.put("a", "a2")).isEqualTo("STORED");
    taker.reopen();
    // Nothing comes from node-7: the row no longer names it.
    taker.take(2, List.of("node-1"), true, SLOT);
    taker.poll(9, 0);
    taker.look();
    assertThat(delivered(taker.poll(9, 10))).as("a2 reopens the key").isEqualTo("a:1");
  }

  @Test
  void aSlotThatDoesNotWaitGoesOnAndWhatArrivesLaterComesLastAndIsCounted() {
    giver.put(event("a", "a1"), event("a", "a2"), event(sibling(0), "x1"));
    seal();
    taker.take(2, List.of("node-1"), false, SLOT);
    assertThat(taker.put("a", "a3")).isEqualTo("STORED");
    assertThat(taker.put("a", "a2")).isEqualTo("STORED");
    assertThat(delivered(taker.poll(9, 10))).isEqualTo("a:1,2");
    take(export());
    assertThat(figures().late()).isEqualTo(2);
    assertThat(figures().duplicates()).isOne();
    assertThat(taker.session("a").accepted()).isEqualTo(3);
    assertThat(taker.session(sibling(0)).worker()).isNotNull();
    String before = SessionStateCheck.durable(taker);
    taker.reopen();
    SessionStateCheck.same(SessionStateCheck.durable(taker), before);
  }

  @Test
  void aLargeSlotMovesInPartsOfWhichALongSessionMayTakeSeveral() {
    putMany(giver, 2_500);
    for (int i = 0; i < 30; i++) {
      giver.put(sibling(i), "x" + i);
    }
    seal();
    List<SlotPage> pages = export();
    assertThat(pages).hasSize(3);
    taker.take(2, List.of("node-1"), true, SLOT);
    take(pages.subList(0, 2));
    taker.reopen();
    taker.poll(9, 0);
    take(pages);
    assertThat(taker.session("a").accepted()).isEqualTo(2_500);
    assertThat(taker.store.slots(QUEUE))
        .singleElement()
        .satisfies(
            slot -> {
              assertThat(slot.sessions()).isEqualTo(31);
              assertThat(slot.undrained()).isEmpty();
            });
    assertThatThrownBy(() -> taker.arrives(other(pages.get(0))))
        .isInstanceOf(MillraceException.class);
  }

  private static void refused(SessionStoreFixture taker, SlotPage page) {
    String before = SessionStateCheck.durable(taker);
    assertThatThrownBy(() -> taker.store.take(QUEUE, page))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
    SessionStateCheck.same(SessionStateCheck.durable(taker), before);
  }

  @Test
  void partsOfDifferentAttemptsAreNeverPutTogether() {
    putMany(giver, 1_500);
    seal();
    taker.take(2, List.of("node-1"), true, SLOT);
    Sending first = Sending.to(2);
    Sending second = Sending.to(2);
    SlotPage begin = giver.store.export(QUEUE, SLOT, first, null);
    taker.store.take(QUEUE, begin);
    taker.commit();
    refused(taker, giver.store.export(QUEUE, SLOT, second, begin.next()));
    take(List.of(giver.store.export(QUEUE, SLOT, second, null)));
    refused(taker, giver.store.export(QUEUE, SLOT, first, begin.next()));
    take(List.of(giver.store.export(QUEUE, SLOT, second, begin.next())));
    taker.store.take(QUEUE, begin);
    assertThat(taker.session("a").accepted()).isEqualTo(1_500);
  }

  @Test
  void whatAGiverSaidBeforeTheSlotCameBackIsRefused() {
    taker.take(2, List.of("node-1"), true, SLOT);
    SlotPage nothing =
        new SlotPage(SLOT, 1, "node-1", Sending.to(2), 0, List.of(), List.of(), null, List.of());
    taker.take(4, List.of("node-1"), true, SLOT);
    refused(taker, nothing);
    assertThat(taker.store.slots(QUEUE).get(0).undrained()).containsExactly("node-1");
  }

  private static void putMany(SessionStoreFixture node, int count) {
    for (int first = 0; first < count; first += 100) {
      KeyedEvent[] events = new KeyedEvent[100];
      for (int i = 0; i < events.length; i++) {
        events[i] = event("a", "a" + (first + i));
      }
      node.put(events);
    }
  }

  @Test
  void keysOfASlotThatIsGivenAwayAreNotForgottenBetweenItsParts() {
    giver.available(1);
    giver.put("a", "a1");
    giver.put("b", "b1");
    giver
        .poll(1, 10)
        .sessions()
        .forEach(one -> giver.poll(1, 0, result(one, ResultKind.COMPLETED)));
    List<SlotPage> before = sealedPages();
    giver.clock.advance(giver.rules.remember());
    giver.poll(1, 0);
    giver.look();
    assertThat(export()).usingRecursiveComparison().isEqualTo(before);
    assertThat(giver.put("b", "b1")).as("of another slot").isEqualTo("STORED");
    giver.store.unseal(QUEUE, List.of(SLOT));
    giver.look();
    assertThat(giver.put("a", "a1")).as("old enough").isEqualTo("STORED");
    SessionStateCheck.check(giver);
  }

  @Test
  void aCompletedKeyIsNotForgottenWhileItsSlotIsGivenAway() {
    giver.available(1);
    giver.put("a", "a1");
    PollAnswered delivered = giver.poll(1, 10);
    giver.poll(1, 0, result(delivered.sessions().get(0), ResultKind.COMPLETED));
    seal();
    giver.clock.advance(giver.rules.remember());
    giver.poll(1, 0);
    giver.look();
    taker.take(2, List.of("node-1"), true, SLOT);
    taker.rules = taker.rules.withRemember(giver.rules.remember().multipliedBy(2));
    take(export());
    assertThat(taker.put("a", "a2")).isEqualTo("DUPLICATE");
  }

  private List<SlotPage> sealedPages() {
    seal();
    return export();
  }

  @Test
  void partsThatArrivedAreReplacedWhenTheGiverHadTheSlotAgainSince() {
    putMany(giver, 1_500);
    seal();
    taker.take(2, List.of("node-1"), true, SLOT);
    List<SlotPage> earlier = export();
    take(earlier.subList(0, 1));
    giver.take(3, List.of("node-2"), true, SLOT);
    taker.take(4, List.of("node-1"), true, SLOT);
    giver.put("a", "a1500");
    seal();
    List<SlotPage> pages = export();
    take(pages.subList(0, 1));
    String before = SessionStateCheck.durable(taker);
    taker.reopen();
    SessionStateCheck.same(SessionStateCheck.durable(taker), before);
    assertThatThrownBy(() -> taker.arrives(earlier.get(1))).isInstanceOf(MillraceException.class);
    taker.poll(9, 0);
    take(pages);
    assertThat(taker.session("a").accepted()).isEqualTo(1_501);
  }

  private static SlotPage other(SlotPage page) {
    return new SlotPage(
        page.slot(),
        page.epoch(),
        "node-7",
        page.sending(),
        0,
        page.sessions(),
        page.completed(),
        page.next(),
        List.of());
  }

  @Test
  void theEarliestOwnersEventsComeFirstWhateverArrivesFirst() {
    SessionStoreFixture middle =
        new SessionStoreFixture(folder.resolve("middle"), "node-3", giver.clock).open();
    giver.put("a", "a1");
    seal();
    middle.take(2, List.of("node-1"), true, SLOT);
    middle.put("a", "a2");
    middle.store.seal(QUEUE, List.of(SLOT));
    middle.commit();
    taker.take(3, List.of("node-1", "node-3"), true, SLOT);
    taker.put("a", "a3");
    take(export());
    assertThat(taker.store.slots(QUEUE).get(0).undrained()).containsExactly("node-3");
    taker.take(3, List.of("node-3"), true, SLOT);
    assertThat(taker.session("a").worker()).isNull();
    taker.arrives(middle.export(SLOT, null));
    taker.commit();
    assertThat(taker.poll(9, 10).sessions().get(0).events())
        .extracting(one -> one.id())
        .containsExactly("a1", "a2", "a3");
    middle.close();
  }

  // A node that was lost and whose slot has another owner now, with a part of what the giver had.
  private SessionStoreFixture middle() {
    SessionStoreFixture middle =
        new SessionStoreFixture(folder.resolve("middle"), "node-3", giver.clock).open();
    middle.available(9);
    putMany(giver, 1_500);
    seal();
    middle.take(2, List.of("node-0", "node-1"), true, SLOT);
    middle.put("a", "m1");
    middle.arrives(export().get(0));
    middle.commit();
    return middle;
  }

  private static void seal(SessionStoreFixture middle) {
    middle.store.seal(QUEUE, List.of(SLOT));
    middle.commit();
  }

  private static long exported(SessionStoreFixture middle) {
    List<String> undrained = List.of("node-0", "node-1", "node-3");
    middle.store.endArrivals(QUEUE, SLOT, undrained);
    middle.commit();
    return middle.export(SLOT, null).sessions().get(0).accepted();
  }

  @Test
  void whatArrivedInPartsAtALostNodeDoesNotGoOnAsItsOwnerSendsAllOfIt() {
    try (SessionStoreFixture middle = middle()) {
      seal(middle);
      assertThat(exported(middle)).isOne();
    }
  }

  @Test
  void whatArrivedAsAWholeAtALostNodeGoesOnAsOnlyThatHasIt() {
    try (SessionStoreFixture middle = middle()) {
      middle.arrives(export().get(1));
      seal(middle);
      assertThatThrownBy(() -> middle.export(SLOT, null)).hasMessageContaining("merged");
      assertThat(exported(middle)).isEqualTo(1_501);
      SessionStateCheck.check(middle);
      middle.reopen();
      assertThat(middle.export(SLOT, null).sessions().get(0).accepted()).isEqualTo(1_501);
    }
  }

  @Test
  void nothingArrivesInASlotWhileItIsReadInParts() {
    try (SessionStoreFixture middle = middle()) {
      List<SlotPage> pages = export();
      seal(middle);
      assertThat(exported(middle)).isOne();
      String before = SessionStateCheck.durable(middle);
      assertThatThrownBy(() -> middle.arrives(pages.get(1)))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
      middle.look();
      SessionStateCheck.same(SessionStateCheck.durable(middle), before);
      middle.store.unseal(QUEUE, List.of(SLOT));
      middle.arrives(pages.get(1));
      middle.commit();
      assertThat(middle.store.slots(QUEUE).get(0).undrained())
          .as("served again, it gets the rest")
          .containsExactly("node-0");
    }
  }

  @Test
  void anOwnerThatSendsAgainWhatASealedSlotHasMayDeleteIt() {
    giver.put("a", "a1");
    seal();
    taker.take(2, List.of("node-1"), true, SLOT);
    List<SlotPage> pages = export();
    take(pages);
    seal(taker);
    String before = SessionStateCheck.durable(taker);
    take(pages);
    SessionStateCheck.same(SessionStateCheck.durable(taker), before);
  }

  @Test
  void aSlotOfALostNodeIsHeldUntilItsWorkersHaveCertainlyStoppedAlsoAfterARestart() {
    long until = giver.clock.nanoTime() + Duration.ofSeconds(40).toNanos();
    List<GrantedSlot> granted = List.of(new GrantedSlot(SLOT, 2, List.of("node-1"), false));
    taker.store.take(QUEUE, 1, granted, until);
    taker.commit();
    taker.put("a", "a1");
    taker.reopen();
    giver.clock.advance(Duration.ofSeconds(40).minusNanos(1));
    taker.poll(9, 10);
    taker.look();
    assertThat(taker.session("a").worker()).as("until when is not known").isNull();
    taker.store.take(QUEUE, 1, granted, until);
    taker.look();
    assertThat(taker.session("a").worker()).isNull();
    giver.clock.advance(Duration.ofNanos(1));
    taker.look();
    assertThat(delivered(taker.poll(9, 10))).isEqualTo("a:1");
  }

  @Test
  void aSealThatIsLiftedLetsEverythingGoOn() {
    giver.available(1);
    giver.put(event("a", "a1"), event(sibling(0), "x1"));
    giver.poll(1, 1);
    String before = SessionStateCheck.durable(giver);
    seal();
    giver.store.unseal(QUEUE, List.of(SLOT));
    giver.commit();
    SessionStateCheck.check(giver);
    SessionStateCheck.same(SessionStateCheck.durable(giver), before);
    assertThat(giver.put("a", "a2")).isEqualTo("STORED");
  }

  @Test
  void aQueueIsRemovedWithAllThatIsStoredOfIt() {
    giver.available(1);
    giver.put(event("a", "a1"), event("b", "b1"));
    giver.poll(1, 0, result(giver.poll(1, 10).sessions().get(0), ResultKind.COMPLETED));
    assertThat(giver.store.remove(QUEUE, 0)).as("of an earlier definition").isFalse();
    assertThat(giver.store.queues()).containsExactly(QUEUE);
    while (giver.store.remove(QUEUE, 1)) {
      giver.commit();
    }
    giver.commit();
    giver.reopen();
    assertThat(giver.store.queues()).isEmpty();
    assertThat(giver.store.book().live().isEmpty()).isTrue();
  }
}
