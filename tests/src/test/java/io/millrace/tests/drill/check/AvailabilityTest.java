package io.millrace.tests.drill.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.tests.drill.check.Availability.Span;
import io.millrace.tests.drill.cluster.FaultTimeline;
import io.millrace.tests.drill.cluster.FaultTimeline.Injected;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AvailabilityTest {
  private static final double FOREVER = Double.POSITIVE_INFINITY;

  @Test
  void aNodeIsDisturbedOnlyByItsOwnFaults() {
    Availability availability = with(fault("e1", 10, 20), fault("c1", 0, FOREVER));

    assertThat(availability.disturbed("e1", new Span(15, 16))).isTrue();
    assertThat(availability.disturbed("e1", new Span(21, 22))).isFalse();
    assertThat(availability.disturbed("e1", new Span(21, 22), 5)).isTrue();
    assertThat(availability.disturbed("e2", new Span(0, 100))).isFalse();
    assertThat(availability.outages()).isEmpty();
  }

  @Test
  void aNodeIsCutOffOnlyIfItReachesNoManagerInService() {
    assertThat(with(fault("e1>c1", 10, 20)).disturbed("e1", new Span(0, 100))).isFalse();
    assertThat(
            with(fault("e1>c1", 10, 20), fault("e1>c2", 21, 30)).disturbed("e1", new Span(0, 100)))
        .isFalse();
    assertThat(
            with(fault("e1>c1", 10, 20), fault("e1>c2", 19, 30)).disturbed("e1", new Span(0, 100)))
        .isTrue();
    assertThat(with(fault("e1>c1", 10, 20), fault("c2", 5, 30)).disturbed("e1", new Span(0, 100)))
        .isTrue();
    assertThat(
            with(fault("e1>c1", 10, 20), fault("c2>database", 5, 30))
                .disturbed("e1", new Span(0, 100)))
        .isTrue();
  }

  @Test
  void anOutageDisturbsNoNode() {
    Availability availability =
        with(fault("database", 10, 70), fault("c1", 70, 90), fault("c2", 71, 80));

    assertThat(availability.outages()).containsExactly(new Span(10, 70), new Span(71, 80));
    assertThat(availability.disturbed("e1", new Span(0, 100))).isFalse();
    assertThat(availability.outage(new Span(0, 9))).isFalse();
    assertThat(availability.outage(new Span(0, 11))).isTrue();
  }

  @Test
  void adjacentOutagesAreMerged() {
    assertThat(
            with(fault("database", 10, 20), fault("c1>database", 15, FOREVER), fault("c2", 20, 30))
                .outages())
        .containsExactly(new Span(10, 30));
  }

  @Test
  void timeOfAnOutageIsNotCountedAsTimeBefore() {
    Availability availability = with(fault("e1", 5, 8), fault("database", 10, 100));

    assertThat(availability.disturbed("e1", new Span(102, 103), 4)).isTrue();
    assertThat(availability.disturbed("e1", new Span(105, 106), 4)).isFalse();
  }

  @Test
  void aStalledMachineDisturbsAllNodes() {
    Availability availability = with(fault(FaultTimeline.MACHINE, 10, 14));

    assertThat(availability.disturbed("e1", new Span(13, 13))).isTrue();
    assertThat(availability.outage(new Span(13, 13))).isTrue();
  }

  private static Injected fault(String target, double from, double until) {
    return new Injected("fault", Set.of(target), from, until);
  }

  private static Availability with(Injected... faults) {
    return new Availability(Stream.of(faults).toList(), List.of("c1", "c2"));
  }
}
