package io.millrace.simulator.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class EarlierDaysTest {
  private static final double HOUR = 3600;
  private static final double DAY = 24 * HOUR;

  private final EarlierDays days = new EarlierDays();

  @Test
  void nothingIsExpectedBeforeADayHasPassed() {
    days.observe(HOUR, 3600);
    assertThat(days.change(HOUR, 2 * HOUR)).isZero();
  }

  @Test
  void aRiseOfEarlierDaysIsExpectedAtTheSameTimeOfTheNextAndItsEndToo() {
    days(3);
    assertThat(days.change(3 * DAY + 8 * HOUR, 3 * DAY + 10.5 * HOUR)).isCloseTo(9, within(0.01));
    assertThat(days.change(3 * DAY + 10.5 * HOUR, 3 * DAY + 13 * HOUR)).isCloseTo(-9, within(0.01));
    assertThat(days.change(3 * DAY + HOUR, 3 * DAY + 2 * HOUR)).isCloseTo(0, within(0.01));
  }

  @Test
  void withDaysThatRiseRegularlyEventsWaitALittleLessAtNoMoreRuns() {
    WorkerBehaviour workers =
        WorkerBehaviour.exit(50, Duration.ofSeconds(60), Duration.ofSeconds(5));
    Scenario scenario = Scenario.of("days", EarlierDaysTest::rising, 4 * DAY, workers);
    ComparedPolicies policies = ComparedPolicies.uncapped(workers, Duration.ofSeconds(5));

    PacingResult plain = new PacingSimulation(scenario, policies.named("demand")).run();
    PacingResult forecast = new PacingSimulation(scenario, policies.named("forecast")).run();

    assertThat(forecast.policy()).isEqualTo("forecast");
    assertThat(forecast.runs()).isLessThanOrEqualTo(plain.runs());
    assertThat(forecast.meanWait()).isLessThan(plain.meanWait());
  }

  /** One event a second, rising to 51 from 9 o'clock to half past, until 12 o'clock. */
  private static double rising(double second) {
    double ramp = HOUR / 2;
    double day = Math.floor(second / DAY);
    double inDay = second - day * DAY;
    double begun = Math.max(0, Math.min(ramp, inDay - 9 * HOUR));
    double full = Math.max(0, Math.min(12 * HOUR, inDay) - 9 * HOUR - ramp);
    return day * (DAY + 50 * (ramp / 2 + 2.5 * HOUR))
        + inDay
        + 50 * begun * begun / 2 / ramp
        + 50 * full;
  }

  private void days(int count) {
    for (double second = 0; second <= count * DAY; second += 5) {
      days.observe(second, (long) events(second));
    }
  }

  /** One event a second, and ten between 9 and 12 o'clock. */
  private static double events(double second) {
    double day = Math.floor(second / DAY);
    double inDay = second - day * DAY;
    double more = 9 * Math.min(3 * HOUR, Math.max(0, inDay - 9 * HOUR));
    return day * (DAY + 27 * HOUR) + inDay + more;
  }
}
