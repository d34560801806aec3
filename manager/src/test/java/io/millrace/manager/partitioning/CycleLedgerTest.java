package io.millrace.manager.partitioning;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CycleLedgerTest {
  private static final Member A = new Member("a", 1);
  private static final Member B = new Member("b", 2);
  private static final Member C = new Member("c", 3);
  private static final List<String> RESOURCES =
      IntStream.range(0, 300).mapToObj(number -> "r" + number).toList();

  private final CycleLedger ledger = new CycleLedger(7, RESOURCES, List.of(A, B));

  @Test
  void eachMemberGetsItsShareOfTheRing() {
    List<String> taken = resources(ledger.take(A, 1000));
    assertThat(taken).isEqualTo(Ring.of(List.of("a", "b")).split(RESOURCES).get("a"));
    assertThat(ledger.inFlight()).isEqualTo(taken.size());
    assertThat(ledger.take(A, 1000)).isEmpty();
  }

  @Test
  void aNewMemberWaitsForTheNextCycle() {
    ledger.join(C);
    assertThat(ledger.take(C, 1000)).isEmpty();
  }

  @Test
  void aNewMemberNeedNotWaitWhenNobodyElseIsLeft() {
    List<Assignment> begun = ledger.take(A, 3);
    begun.forEach(ledger::done);
    ledger.leave(A);
    ledger.lose(B);
    ledger.join(C);
    assertThat(ledger.take(C, 1000)).hasSize(RESOURCES.size() - 3);
  }

  @Test
  void whoLeavesFinishesWhatItHasBegunAndTheOthersDoTheRestInTheSameCycle() {
    List<Assignment> begun = ledger.take(A, 5);
    ledger.leave(A);
    assertThat(ledger.take(A, 1)).isEmpty();
    assertThat(begun).allMatch(ledger::done);
    List<Assignment> rest = ledger.take(B, 1000);
    assertThat(rest).hasSize(RESOURCES.size() - 5).allMatch(one -> one.number() == 1);
    rest.forEach(ledger::done);
    assertThat(ledger.finished()).isTrue();
  }

  @Test
  void whatALostMemberHadBegunIsPolledAgainAndRecordedOnce() {
    List<Assignment> begun = ledger.take(A, 5);
    ledger.lose(A);
    List<Assignment> rest = ledger.take(B, 1000);
    assertThat(rest).hasSize(RESOURCES.size());
    assertThat(rest.stream().filter(one -> one.number() == 2).map(Assignment::resource))
        .containsExactlyInAnyOrderElementsOf(resources(begun));
    assertThat(begun).as("the lost member's late words").noneMatch(ledger::done);
    assertThat(rest).allMatch(ledger::done).noneMatch(ledger::done);
    assertThat(ledger.recorded()).isEqualTo(RESOURCES.size());
  }

  @Test
  void anotherLifeOfTheSameNameHasNoPartOfTheCycle() {
    ledger.lose(A);
    Member again = new Member("a", 9);
    ledger.join(again);
    assertThat(ledger.take(again, 1)).isEmpty();
    assertThat(ledger.take(A, 1)).isEmpty();
  }

  @Test
  void whatFailedIsTriedAgainInTheSameCycle() {
    Assignment first = ledger.take(A, 1).get(0);
    assertThat(ledger.failed(first)).isTrue();
    assertThat(ledger.failed(first)).isFalse();
    assertThat(ledger.done(first)).isFalse();
    List<Assignment> taken = ledger.take(A, 1000);
    assertThat(taken.get(taken.size() - 1)).isEqualTo(new Assignment(7, first.resource(), A, 2));
  }

  @Test
  void nothingToPollIsFinishedAtOnce() {
    assertThat(new CycleLedger(1, List.of(), List.of(A)).finished()).isTrue();
    assertThat(ledger.finished()).isFalse();
  }

  private static List<String> resources(List<Assignment> assignments) {
    return assignments.stream().map(Assignment::resource).toList();
  }
}
