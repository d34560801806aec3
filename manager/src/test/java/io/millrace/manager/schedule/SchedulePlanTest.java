package io.millrace.manager.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.api.task.ScheduleDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SchedulePlanTest {

  @Test
  void timesOutsideTheWindowAreNotPlanned() {
    SchedulePlan plan =
        Plans.plan(
            new ScheduleDefinition(
                null, Duration.ofMinutes(90), null, null, null, null, null, null, null, 0, false),
            Plans.window("22:00", "01:00"));

    assertThat(plan.preview(Plans.DAY).next())
        .containsExactly(
            Instant.parse("2026-03-02T22:30:00Z"),
            Instant.parse("2026-03-03T00:00:00Z"),
            Instant.parse("2026-03-03T22:30:00Z"),
            Instant.parse("2026-03-04T00:00:00Z"),
            Instant.parse("2026-03-04T22:30:00Z"));
    assertThat(plan.preview(Plans.DAY).description())
        .isEqualTo("every 1 hour 30 minutes between 22:00 and 01:00 of the next day, UTC");
  }

  @Test
  void aWindowWithoutPlannedTimesIsRefused() {
    ScheduleDefinition noon =
        new ScheduleDefinition(
            "0 12 * * *", null, null, null, null, null, null, null, null, 0, false);

    assertThat(SchedulePlan.problems(noon, Plans.window("02:00", "06:00"), Instant.EPOCH))
        .singleElement()
        .asString()
        .startsWith("window: contains none of the planned times");
    assertThat(SchedulePlan.problems(noon, Plans.window("11:00", "13:00"), Instant.EPOCH))
        .isEmpty();
    assertThat(SchedulePlan.problems(noon, null, Instant.EPOCH)).isEmpty();
  }

  @Test
  void aSkippedTimeIsStillInTheWindowThatBeginsWithIt() {
    SchedulePlan plan =
        Plans.cron("30 2 * * *", "Europe/Amsterdam", Plans.window("02:00", "03:00"));

    assertThat(plan.next(Instant.parse("2026-03-28T12:00:00Z")))
        .contains(Instant.parse("2026-03-29T01:00:00Z"));
  }

  @Test
  void jitterIsTheSameForAllManagersAndDifferentForTimesAndTasks() {
    Duration jitter = Duration.ofMinutes(10);
    ScheduleDefinition hourly =
        new ScheduleDefinition(
            "0 * * * *", null, null, null, null, null, jitter, null, null, 0, false);
    SchedulePlan one = SchedulePlan.of("one", hourly, null, Plans.DAY);
    SchedulePlan sameElsewhere = SchedulePlan.of("one", hourly, null, Plans.DAY.plusSeconds(99));
    SchedulePlan other = SchedulePlan.of("other", hourly, null, Plans.DAY);
    Set<Duration> delays = new HashSet<>();
    double sum = 0;
    int times = 500;
    Instant planned = Plans.DAY;
    for (int at = 0; at < times; at++) {
      planned = one.next(planned).orElseThrow();
      Duration delay = Duration.between(planned, one.due(planned));
      assertThat(delay).isBetween(Duration.ZERO, jitter);
      assertThat(sameElsewhere.due(planned)).isEqualTo(one.due(planned));
      delays.add(delay);
      sum += delay.toMillis();
    }

    assertThat(delays).hasSizeGreaterThan(times * 9 / 10);
    assertThat(sum / times).isCloseTo(jitter.toMillis() / 2.0, within(jitter.toMillis() * 0.06));
    assertThat(other.due(planned)).isNotEqualTo(one.due(planned));
  }

  @Test
  void jitterReachesNeitherTheNextPlannedTimeNorOutOfTheWindow() {
    Duration jitter = Duration.ofHours(5);
    SchedulePlan often =
        Plans.plan(
            new ScheduleDefinition(
                "*/10 * * * *", null, null, null, null, null, jitter, null, null, 0, false),
            Plans.window("02:00", "02:05"));
    SchedulePlan dense =
        Plans.plan(
            new ScheduleDefinition(
                "*/10 * * * *", null, null, null, null, null, jitter, null, null, 0, false),
            null);
    Instant planned = Plans.at("02:00:00");

    assertThat(often.due(planned)).isBetween(planned, Plans.at("02:05:00"));
    for (Instant time : List.of(planned, Plans.at("02:10:00"), Plans.at("02:20:00"))) {
      assertThat(dense.due(time)).isBefore(time.plus(Duration.ofMinutes(10)));
    }
  }
}
