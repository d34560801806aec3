package io.millrace.queuenode.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.session.SlotTable;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.api.session.SlotTable.SlotRange;
import io.millrace.queuenode.session.SlotPlan.Copy;
import io.millrace.queuenode.session.SlotPlan.DueExport;
import io.millrace.queuenode.session.store.SessionStore.GrantedSlot;
import io.millrace.queuenode.session.store.SessionStore.HeldSlot;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Slot 0 is looked at; all others are somebody else's. */
class SlotPlanTest {
  private Set<String> lost = Set.of();
  private boolean waitForLost = true;

  private static SlotTable table(String owner, long epoch, String... undrained) {
    return new SlotTable(
        List.of(
            new SlotRange(0, 0, new SlotOwner(owner, epoch, List.of(undrained))),
            new SlotRange(1, 999, new SlotOwner("q9", 1, List.of()))));
  }

  private static HeldSlot held(long epoch, boolean sealed, int withWorkers, String... undrained) {
    return new HeldSlot(
        0, epoch, sealed, undrained.length > 0, false, List.of(undrained), 1, 0, withWorkers);
  }

  private SlotPlan plan(SlotTable table, HeldSlot... held) {
    return SlotPlan.of("q1", table, List.of(held), lost::contains, waitForLost);
  }

  @Test
  void aFirstSlotIsTakenWithoutWaiting() {
    SlotPlan plan = plan(table("q1", 1));
    assertThat(plan.takes()).containsExactly(new GrantedSlot(0, 1, List.of(), false));
    assertThat(plan.takesFromLost()).isEmpty();
    assertThat(plan(table("q1", 1), held(1, false, 0)).takes()).isEmpty();
  }

  @Test
  void aSlotOfALivingGiverWaitsForItsEventsWhateverThePolicyForLostNodes() {
    waitForLost = false;
    assertThat(plan(table("q1", 2, "q2")).takes())
        .containsExactly(new GrantedSlot(0, 2, List.of("q2"), true));
  }

  @Test
  void aSlotOfALostNodeWaitsForItOnlyIfThePolicySaysSo() {
    lost = Set.of("q2");
    assertThat(plan(table("q1", 2, "q2")).takesFromLost())
        .containsExactly(new GrantedSlot(0, 2, List.of("q2"), true));
    waitForLost = false;
    assertThat(plan(table("q1", 2, "q2")).takesFromLost())
        .containsExactly(new GrantedSlot(0, 2, List.of("q2"), false));
  }

  @Test
  void aGiverThatIsLostWhileItsEventsAreAwaitedIsWaitedForNoLonger() {
    waitForLost = false;
    HeldSlot waiting = held(2, false, 0, "q2");
    assertThat(plan(table("q1", 2, "q2"), waiting).releases()).isEmpty();
    lost = Set.of("q2");
    assertThat(plan(table("q1", 2, "q2"), waiting).releases())
        .containsExactly(new GrantedSlot(0, 2, List.of("q2"), false));
  }

  @Test
  void aSlotThatTheRowGivesToAnotherNodeIsSealedThenSentThenForgotten() {
    SlotTable given = table("q2", 2, "q1");
    assertThat(plan(given, held(1, false, 3)).seals()).containsExactly(0);
    SlotPlan waiting = plan(given, held(1, true, 3));
    assertThat(waiting.exports()).as("workers still have sessions of it").isEmpty();
    assertThat(waiting.unfinished()).isTrue();
    assertThat(plan(given, held(1, true, 0)).exports())
        .containsExactly(new DueExport(0, 1, "q2", 2, List.of("q1")));
  }

  @Test
  void aCopyOfWhichTheRowSaysNothingIsKeptUntilItsOwnerHasAnsweredForIt() {
    SlotPlan plan = plan(table("q2", 2), held(1, true, 0));
    assertThat(plan.copies())
        .containsExactly(new Copy(held(1, true, 0), new SlotOwner("q2", 2, List.of())));
    assertThat(plan.copies().get(0).isEmpty()).isFalse();
    assertThat(plan.exports()).isEmpty();
    assertThat(plan.unfinished()).isTrue();
  }

  @Test
  void aNodeWhoseEventsWereGivenUpStopsServingItsSlotsWhenItReturns() {
    SlotPlan back = plan(table("q2", 2), held(1, false, 5));
    assertThat(back.seals()).containsExactly(0);
    assertThat(back.copies()).isEmpty();
    SlotPlan sealed = plan(table("q2", 2), held(1, true, 5));
    assertThat(sealed.copies()).as("workers still have sessions of it").isEmpty();
    assertThat(sealed.unfinished()).isTrue();
  }

  /**
   * q2 gave the slot to q1, which was lost before it took it, or after q2 had deleted its copy and
   * before the row said so; q3 got it. q1 is back and holds nothing of it.
   */
  @Test
  void anEarlierOwnerThatHoldsNothingSaysSo() {
    SlotPlan back = plan(table("q3", 3, "q2", "q1"));
    assertThat(back.absent()).containsExactly(new DueExport(0, 2, "q3", 3, List.of()));
    assertThat(back.unfinished()).isTrue();
    assertThat(plan(table("q3", 3, "q2")).absent()).isEmpty();
    assertThat(plan(table("q3", 3, "q1"), held(1, true, 0)).absent()).isEmpty();
  }

  @Test
  void aRowThatIsOlderThanWhatIsHeldSaysNothing() {
    SlotPlan plan = plan(table("q2", 2, "q1"), held(3, false, 0));
    assertThat(plan.unfinished()).isFalse();
    assertThat(plan(table("q1", 2), held(3, false, 0)).takes()).isEmpty();
  }

  @Test
  void aSealedSlotThatTheRowStillGivesHereIsNoticed() {
    assertThat(plan(table("q1", 1), held(1, true, 0)).sealedHere()).containsExactly(0);
  }

  @Test
  void whatHasArrivedIsReportedUntilTheRowSaysSo() {
    assertThat(plan(table("q1", 2, "q2"), held(2, false, 0)).drained())
        .isEqualTo(Map.of("q2", Map.of(0, 2L)));
    assertThat(plan(table("q1", 2), held(2, false, 0)).drained()).isEmpty();
  }

  @Test
  void aRescuedOwnerIsWaitedForNoLonger() {
    assertThat(plan(table("q1", 2), held(2, false, 0, "q2")).changed())
        .containsExactly(new GrantedSlot(0, 2, List.of(), false));
  }

  @Test
  void aSlotThatComesBackIsTakenUnderItsNewEpoch() {
    assertThat(plan(table("q1", 3, "q2"), held(1, true, 0)).takes())
        .containsExactly(new GrantedSlot(0, 3, List.of("q2"), true));
  }
}
