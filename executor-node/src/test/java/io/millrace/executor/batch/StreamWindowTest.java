package io.millrace.executor.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.event.EventResult;
import io.millrace.api.event.LeaseRequest.DeliveredEvent;
import io.millrace.executor.batch.StreamWindow.Answered;
import io.millrace.executor.batch.StreamWindow.Given;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StreamWindowTest {
  private final StreamWindow window = new StreamWindow(8);

  @Test
  void atMostAWindowOfEventsIsUnanswered() {
    assertThat(window.room()).isEqualTo(8);
    assertThat(lease("a", "b", "c", "d", "e", "f")).hasSize(6);
    assertThat(window.room()).isEqualTo(2);
    assertThat(lease("g", "h")).hasSize(2);
    assertThat(window.room()).isZero();
    answer("c");
    answer("d");
    assertThat(window.room()).as("answered and not reported yet").isZero();
    window.reported(window.answered());
    assertThat(window.room()).isEqualTo(2);
  }

  @Test
  void anEventThatWasLeasedByItselfIsAloneInTheWindow() {
    lease("a", "b");
    assertThat(lease("suspect")).isEmpty();
    assertThat(window.room()).as("others wait for it").isZero();
    assertThat(window.due(0)).isEmpty();
    answer("a");
    answer("b");
    assertThat(window.due(0)).as("not reported yet").isEmpty();
    window.reported(window.answered());
    assertThat(window.due(0)).map(DeliveredEvent::id).contains("suspect");
    assertThat(window.room()).as("while it is in the window").isZero();
    answer("suspect");
    window.reported(window.answered());
    assertThat(window.room()).isEqualTo(8);
  }

  @Test
  void anEventThatIsDeliveredAgainWhileTheWorkerHasItIsNotGivenTwice() {
    window.leased(List.of(event("a", "7.1.1"), event("b", "8.1.1")), 0);
    assertThat(window.leased(List.of(event("a", "7.2.1"), event("c", "9.1.1")), 0))
        .extracting(DeliveredEvent::id)
        .containsExactly("c");
    assertThat(window.unreported(0)).containsEntry("a", new Given("7.2.1", 0));
  }

  @Test
  void oneAnswerNeverCountsForAnotherEventOfTheSameId() {
    assertThat(window.leased(List.of(event("a", "7.1.1"), event("a", "8.1.1")), 0)).hasSize(1);
    assertThat(window.leased(List.of(event("a", "9.1.1"), event("b", "10.1.1")), 0))
        .extracting(DeliveredEvent::id)
        .containsExactly("b");
    answer("a");
    assertThat(window.answered()).extracting(Answered::receipt).containsExactly("7.1.1");
    assertThat(window.receipts())
        .as("leases that are extended")
        .containsOnly("7.1.1", "8.1.1", "9.1.1", "10.1.1");
  }

  @Test
  void anEventWhoseIdTheWorkerHasStaysLeasedAndHasItsTurn() {
    window.leased(List.of(event("a", "7.1.1"), event("a", "8.1.1"), event("b", "9.1.1")), 0);
    window.leased(List.of(event("a", "10.1.1"), event("b", "11.1.1")), 0);
    assertThat(window.room()).as("those that wait count").isEqualTo(3);
    assertThat(window.unreported(0))
        .as("the worker's answer counts for the one that it has")
        .containsEntry("a", new Given("7.1.1", 0));
    answer("a");
    assertThat(window.due(6)).as("not reported yet").isEmpty();
    window.reported(window.answered());
    assertThat(window.due(6)).map(DeliveredEvent::receipt).contains("8.1.1");
    assertThat(window.due(6)).as("one at a time").isEmpty();
    assertThat(window.unreported(9)).containsEntry("a", new Given("8.1.1", 6));
    assertThat(window.answer(ok("a"), 5)).as("the answer to the first one").isFalse();
    assertThat(window.leased(List.of(event("a", "10.2.1"), event("c", "12.1.1")), 7)).hasSize(1);
    assertThat(window.receipts())
        .as("it was delivered again meanwhile")
        .contains("10.2.1")
        .doesNotContain("10.1.1");
  }

  @Test
  void anEventThatWasLeasedByItselfWaitsForTheOneOfItsIdToo() {
    lease("a", "b");
    assertThat(window.leased(List.of(event("a", "8.1.1")), 0)).isEmpty();
    assertThat(window.unreported(0)).containsEntry("a", new Given("receipt-a", 0));
    assertThat(window.receipts()).contains("8.1.1");
    answer("a");
    answer("b");
    window.reported(window.answered());
    assertThat(window.due(6)).map(DeliveredEvent::receipt).contains("8.1.1");
    assertThat(window.room()).as("it is alone").isZero();
  }

  @Test
  void anEventThatWaitsForALostAnswerHoldsUpNoOther() {
    window.leased(List.of(event("a", "7.1.1"), event("a", "8.1.1")), 0);
    window.drop(List.of("7.1.1"));
    assertThat(lease("suspect")).isEmpty();
    assertThat(window.isIdle()).isFalse();
    assertThat(window.due(5)).map(DeliveredEvent::id).contains("suspect");
    answer("a");
    assertThat(window.due(5)).as("the other one is alone").isEmpty();
    answer("suspect");
    window.reported(window.answered());
    assertThat(window.due(5)).map(DeliveredEvent::receipt).contains("8.1.1");
    assertThat(window.room()).isEqualTo(7);
  }

  @Test
  void aWorkerThatHasOnlyEventsWhoseLeasesExpiredIsIdle() {
    window.leased(List.of(event("a", "7.1.1"), event("a", "8.1.1")), 0);
    assertThat(window.isIdle()).isFalse();
    window.drop(List.of("7.1.1"));
    assertThat(window.due(6)).as("its answer may still come").isEmpty();
    assertThat(window.unreported(6)).isEmpty();
    assertThat(window.isIdle()).isTrue();
    assertThat(window.waiting()).extracting(DeliveredEvent::receipt).containsExactly("8.1.1");
  }

  @Test
  void anAnswerBeforeTheWorkerGotTheEventIsOneToAnEarlierEventOfItsId() {
    window.leased(List.of(event("a", "7.1.1"), event("b", "8.1.1")), 100);
    assertThat(window.answer(ok("a"), 99)).isFalse();
    assertThat(window.answered()).isEmpty();
    assertThat(window.answer(ok("a"), 100)).isTrue();
    assertThat(window.unreported(200))
        .as("what the next agent must know")
        .containsEntry("a", new Given("7.1.1", 100))
        .containsEntry("b", new Given("8.1.1", 100));
  }

  @Test
  void anAnswerToADroppedDeliveryDoesNotCountForAnotherEventOfItsId() {
    window.leased(List.of(event("a", "7.1.1"), event("b", "8.1.1")), 0);
    window.drop(List.of("7.1.1", "8.1.1"));
    assertThat(window.leased(List.of(event("a", "9.1.1"), event("b", "8.2.1")), 0))
        .as("the worker still has a and b")
        .isEmpty();
    assertThat(window.unreported(0)).containsOnlyKeys("b");
    assertThat(answer("a")).isFalse();
    assertThat(answer("b")).as("the same event").isTrue();
    assertThat(window.due(6)).map(DeliveredEvent::receipt).contains("9.1.1");
  }

  @Test
  void anAnswerToAnEventThatTheWorkerDoesNotHaveIsIgnored() {
    lease("a", "b");
    assertThat(answer("x")).isFalse();
    assertThat(answer("a")).isTrue();
    assertThat(answer("a")).as("twice").isFalse();
    window.drop(List.of("receipt-b"));
    assertThat(answer("b")).as("its lease has expired").isFalse();
  }

  @Test
  void allLeasesAreExtendedUntilTheirEventsAreReported() {
    lease("a", "b");
    answer("a");
    lease("c");
    assertThat(window.receipts()).containsExactlyInAnyOrder("receipt-a", "receipt-b", "receipt-c");
    window.reported(window.answered());
    assertThat(window.receipts()).containsExactlyInAnyOrder("receipt-b", "receipt-c");
  }

  @Test
  void aWindowOfOneGivesOneAfterTheOther() {
    StreamWindow one = new StreamWindow(1);
    assertThat(one.leased(List.of(event("a", "r")), 0)).hasSize(1);
    assertThat(one.room()).isZero();
    one.answer(ok("a"), 5);
    one.reported(one.answered());
    assertThat(one.room()).isEqualTo(1);
  }

  private List<DeliveredEvent> lease(String... ids) {
    return window.leased(Stream.of(ids).map(id -> event(id, "receipt-" + id)).toList(), 0);
  }

  private boolean answer(String id) {
    return window.answer(ok(id), 5);
  }

  private static EventResult ok(String id) {
    return new EventResult(id, true, null, null, null);
  }

  private static DeliveredEvent event(String id, String receipt) {
    return new DeliveredEvent(receipt, id, "alerts", 1, null, null);
  }
}
