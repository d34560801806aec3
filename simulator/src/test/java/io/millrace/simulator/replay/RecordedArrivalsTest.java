package io.millrace.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.simulator.replay.Recording.RecordedDecision;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecordedArrivalsTest {
  private static final Instant ORIGIN = Instant.parse("2026-03-01T12:00:00Z");

  private static RecordedDecision decision(
      double second, int start, double inserted, double waiting, double oldest) {
    return new RecordedDecision(
        ORIGIN.plusMillis(Math.round(second * 1e3)),
        "n1",
        start,
        "demand",
        "NONE",
        Map.of("inserted", inserted, "waiting", waiting, "oldestSeconds", oldest));
  }

  private static RecordedArrivals arrivals(RecordedDecision... decisions) {
    return RecordedArrivals.of(List.of(decisions), ORIGIN, Duration.ofSeconds(2));
  }

  @Test
  void theInitialBacklogArrivesAtTheStart() {
    RecordedArrivals arrivals = arrivals(decision(0, 1, 100, 7, 3), decision(60, 0, 100, 0, 0));

    assertThat(arrivals.until(0)).isEqualTo(7);
    assertThat(arrivals.events()).isEqualTo(7);
  }

  @Test
  void theSumIsExactAtEachDecision() {
    RecordedArrivals arrivals =
        arrivals(
            decision(0, 1, 100, 0, 0),
            decision(5, 1, 130, 12, 1.5),
            decision(65, 0, 141, 0, 0),
            decision(70, 2, 190, 49, 4));

    assertThat(arrivals.until(5)).isCloseTo(30, within(1e-6));
    assertThat(arrivals.until(65)).isCloseTo(41, within(1e-6));
    assertThat(arrivals.until(70)).isCloseTo(90, within(1e-6));
  }

  @Test
  void noWaitingEventArrivedBeforeTheOldest() {
    RecordedArrivals arrivals = arrivals(decision(0, 0, 100, 0, 0), decision(60, 1, 110, 10, 4));

    assertThat(arrivals.until(55.9)).isZero();
    assertThat(arrivals.until(56)).isGreaterThanOrEqualTo(1);
    assertThat(arrivals.until(60)).isCloseTo(10, within(1e-6));
  }

  @Test
  void leasedEventsArrivedBeforeTheirWorkerStarted() {
    RecordedArrivals arrivals = arrivals(decision(10, 1, 100, 5, 3), decision(70, 0, 104, 0, 0));

    assertThat(arrivals.until(12)).isCloseTo(9, within(1e-6));
  }

  @Test
  void aCounterThatDecreasedIsIgnored() {
    RecordedArrivals arrivals = arrivals(decision(0, 0, 100, 0, 0), decision(60, 0, 20, 0, 0));

    assertThat(arrivals.until(60)).isZero();
  }

  @Test
  void itNeverFalls() {
    RecordedArrivals arrivals =
        arrivals(
            decision(3, 1, 100, 4, 9),
            decision(5, 1, 130, 12, 9),
            decision(65, 0, 141, 3, 30),
            decision(70, 2, 190, 49, 4));
    double before = 0;
    for (double second = 0; second < 80; second += 0.1) {
      assertThat(arrivals.until(second)).isGreaterThanOrEqualTo(before - 1e-9);
      before = arrivals.until(second);
    }
  }
}
