package io.millrace.tests.drill.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.tests.drill.cluster.ProcessFault.Frozen;
import io.millrace.tests.drill.cluster.ProcessFault.Killed;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class FaultDeckTest {
  private static final List<Fault> FAULTS =
      List.of(
          new Killed(List.of("e1")),
          new Killed(List.of("e2")),
          new Killed(List.of("e3")),
          new Killed(List.of("c1")),
          Frozen.shortly("q1"));

  @Test
  void kindsAndRolesAreDealtEquallyOftenAndNoFaultTwiceBeforeAllWereDealt() {
    List<Fault> dealt = FaultDeck.of(FAULTS, new Random(1)).deal(9);

    assertThat(dealt.stream().collect(Collectors.groupingBy(Fault::cell, Collectors.counting())))
        .hasSize(3)
        .allSatisfy((cell, count) -> assertThat(count).isEqualTo(3));
    assertThat(dealt).containsAll(FAULTS);
  }

  @Test
  void theSameSeedDealsTheSameFaults() {
    assertThat(FaultDeck.of(FAULTS, new Random(7)).deal(20))
        .isEqualTo(FaultDeck.of(FAULTS, new Random(7)).deal(20));
  }

  @Test
  void twoFaultsOfOneProcessDoNotOverlapInARound() {
    List<PlannedFault> plan =
        new RoundPlan(new Random(1), Duration.ofSeconds(1))
            .addAll(List.of(Frozen.shortly("q1"), Frozen.shortly("q1"), new Killed(List.of("e1"))))
            .plan();

    PlannedFault first = plan.get(0);
    assertThat(plan.get(1).after()).isGreaterThan(first.after().plus(first.lasts()));
    assertThat(plan.get(2).after()).isLessThan(first.lasts());
  }

  @Test
  void aLongFaultRunsAlongsideShortOnes() {
    FaultDeck shortOnes = FaultDeck.of(FAULTS, new Random(1));
    FaultDeck longOnes = FaultDeck.of(List.of(Frozen.forMinutes("c1")), new Random(1));

    List<PlannedFault> plan = RoundPlan.of(3, shortOnes, longOnes, 10, Duration.ofSeconds(4), 1);

    assertThat(plan.get(0).lasts()).isGreaterThanOrEqualTo(Duration.ofMinutes(2));
    assertThat(plan.size()).isGreaterThan(20);
  }

  @Test
  void longFaultsRunAloneIfNoShortOneIsSelected() {
    FaultDeck none = FaultDeck.of(List.of(), new Random(1));
    FaultDeck longOnes = FaultDeck.of(List.of(Frozen.forMinutes("c1")), new Random(1));

    assertThat(RoundPlan.of(1, none, longOnes, 10, Duration.ofSeconds(4), 1)).hasSize(1);
    assertThat(RoundPlan.of(3, none, longOnes, 10, Duration.ofSeconds(4), 1)).hasSize(1);
  }
}
