package io.millrace.manager.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.ScheduleDefinition.RepeatedTime;
import io.millrace.api.task.ScheduleDefinition.SkippedTime;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Thousands of next planned times, each compared with a search through every minute. */
class NextTimesTest {
  private static final List<String> ZONES =
      List.of(
          "America/New_York",
          "Europe/London",
          "Europe/Amsterdam",
          "Australia/Lord_Howe",
          "America/Santiago",
          "Asia/Kathmandu",
          "UTC");
  private static final List<String> CHANGING = ZONES.subList(0, 5);
  private static final int TIMES = 4;

  private int compared;

  @Test
  void aroundEveryChangeOfTheClocksOfFourYearsTheTimesAreRight() {
    Random random = new Random(2026);
    for (String zone : CHANGING) {
      for (ZoneOffsetTransition change : changes(zone, 2024, 2028)) {
        for (int round = 0; round < 30; round++) {
          String expression = RandomCron.near(change.getDateTimeBefore(), random);
          SkippedTime skipped = any(SkippedTime.values(), random);
          RepeatedTime repeated = any(RepeatedTime.values(), random);
          Instant after = change.getInstant().minusSeconds(random.nextInt(4 * 3600));
          compare(expression, zone, skipped, repeated, after, Duration.ofDays(40));
        }
      }
    }
    assertThat(compared).isGreaterThanOrEqualTo(1000);
  }

  @Test
  void withSecondsTheTimesAroundChangesAreRightAsWell() {
    Random random = new Random(7);
    for (String zone : CHANGING) {
      for (ZoneOffsetTransition change : changes(zone, 2026, 2027)) {
        for (int round = 0; round < 6; round++) {
          String expression = RandomCron.withSeconds(change.getDateTimeBefore(), random);
          Instant after = change.getInstant().minusSeconds(random.nextInt(4 * 3600));
          compare(
              expression,
              zone,
              any(SkippedTime.values(), random),
              any(RepeatedTime.values(), random),
              after,
              Duration.ofDays(3));
        }
      }
    }
  }

  @Test
  void expressionsOfEveryFormAreRightThroughTheYears() {
    Random random = new Random(1970);
    for (int round = 0; round < 400; round++) {
      String zone = ZONES.get(random.nextInt(ZONES.size()));
      Instant after =
          Instant.parse("2020-01-01T00:00:00Z").plusSeconds(random.nextInt(300_000_000));
      compare(RandomCron.unix(random), zone, null, null, after, Duration.ofDays(120));
    }
    for (int round = 0; round < 400; round++) {
      String zone = ZONES.get(random.nextInt(ZONES.size()));
      Instant after =
          Instant.parse("2020-01-01T00:00:00Z").plusSeconds(random.nextInt(300_000_000));
      compare(RandomCron.quartz(random), zone, null, null, after, Duration.ofDays(400));
    }
    for (int round = 0; round < 400; round++) {
      String zone = ZONES.get(random.nextInt(ZONES.size()));
      Instant after =
          Instant.parse("2020-01-01T00:00:00Z").plusSeconds(random.nextInt(300_000_000));
      compare(RandomCron.counted(random), zone, null, null, after, Duration.ofDays(400));
    }
    assertThat(compared).isEqualTo(1200);
  }

  @Test
  void leapDaysComeEveryFourYearsAndNotInEveryCentury() {
    compare("0 0 29 2 *", "UTC", null, null, "2024-02-29T00:00:00Z", 365 * 13);
    compare("30 12 29 feb *", "Europe/London", null, null, "2027-03-01T00:00:00Z", 365 * 9);
    compare("0 0 29 2 1", "UTC", null, null, "2024-03-01T00:00:00Z", 365 * 5);
    compare("0 0 0 29 2 ? 2030-2090", "UTC", null, null, "2026-03-01T00:00:00Z", 365 * 20);
    compare("0 0 0 L 2 ?", "UTC", null, null, "2026-03-01T00:00:00Z", 365 * 7);
    compare("0 0 12 29W 2 ?", "UTC", null, null, "2026-03-01T00:00:00Z", 365 * 13);
    compare("0 0 12 ? 2 SUN#5", "UTC", null, null, "2026-03-01T00:00:00Z", 365 * 30);
    assertThat(times("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", 1))
        .containsExactly("2104-02-29T00:00:00Z");
  }

  @Test
  void aSkippedTimeComesRightAfterTheGapAndARepeatedOneTheFirstTimeOnly() {
    assertThat(times("30 2 * * *", "Europe/Amsterdam", "2026-03-28T12:00:00Z", 2))
        .containsExactly("2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z");
    assertThat(times("30 2 * * *", "Europe/Amsterdam", "2026-10-24T12:00:00Z", 2))
        .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
    assertThat(times("0,30 2 * * *", "America/New_York", "2026-03-08T05:00:00Z", 2))
        .as("both skipped times are one")
        .containsExactly("2026-03-08T07:00:00Z", "2026-03-09T06:00:00Z");
  }

  @ParameterizedTest
  @CsvSource({
    "America/New_York, 30 2 * * *, 2026-03-08T00:00:00Z, 2026-03-08T07:00:00Z, 2026-03-09T06:30:00Z",
    "Europe/London, 30 1 * * *, 2026-03-29T00:00:00Z, 2026-03-29T01:00:00Z, 2026-03-30T00:30:00Z",
    // By half an hour only.
    "Australia/Lord_Howe, 15 2 * * *, 2026-10-03T12:00:00Z, 2026-10-03T15:30:00Z, 2026-10-04T15:15:00Z",
    // Midnight itself is jumped over.
    "America/Santiago, 0 0 * * *, 2026-09-05T12:00:00Z, 2026-09-06T04:00:00Z, 2026-09-07T03:00:00Z",
  })
  void aTaskChoosesWhetherASkippedTimeComesAfterTheGapOrNever(
      String zone, String cron, Instant after, Instant afterGap, Instant nextDay) {
    for (SkippedTime usual : new SkippedTime[] {null, SkippedTime.AFTER_GAP}) {
      PlannedTimes times = PlannedTimes.of(definition(cron, zone, usual, null), Instant.EPOCH);
      assertThat(times.next(after, 2)).containsExactly(afterGap, nextDay);
    }
    PlannedTimes never =
        PlannedTimes.of(definition(cron, zone, SkippedTime.NEVER, null), Instant.EPOCH);
    assertThat(never.next(after)).contains(nextDay);
  }

  @ParameterizedTest
  @CsvSource({
    "America/New_York, 30 1 * * *, 2026-11-01T00:00:00Z, 2026-11-01T05:30:00Z, 2026-11-01T06:30:00Z",
    "Europe/London, 30 1 * * *, 2026-10-24T12:00:00Z, 2026-10-25T00:30:00Z, 2026-10-25T01:30:00Z",
    "Australia/Lord_Howe, 45 1 * * *, 2026-04-04T12:00:00Z, 2026-04-04T14:45:00Z, 2026-04-04T15:15:00Z",
    // The day before comes again.
    "America/Santiago, 30 23 * * *, 2026-04-04T12:00:00Z, 2026-04-05T02:30:00Z, 2026-04-05T03:30:00Z",
  })
  void aTaskChoosesWhichOfTwoRepeatedTimesCounts(
      String zone, String cron, Instant after, Instant first, Instant second) {
    Instant nextDay = second.plus(Duration.ofDays(1));
    for (RepeatedTime usual : new RepeatedTime[] {null, RepeatedTime.FIRST}) {
      PlannedTimes times = PlannedTimes.of(definition(cron, zone, null, usual), Instant.EPOCH);
      assertThat(times.next(after, 2)).containsExactly(first, nextDay);
    }
    assertThat(
            PlannedTimes.of(definition(cron, zone, null, RepeatedTime.SECOND), Instant.EPOCH)
                .next(after, 2))
        .containsExactly(second, nextDay);
    assertThat(
            PlannedTimes.of(definition(cron, zone, null, RepeatedTime.BOTH), Instant.EPOCH)
                .next(after, 3))
        .containsExactly(first, second, nextDay);
  }

  @Test
  void aLineOfEveryHourFollowsTheTwoChoicesWhenTheyAreWritten() {
    PlannedTimes times =
        PlannedTimes.of(
            definition("30 * * * *", "Europe/London", null, RepeatedTime.FIRST), Instant.EPOCH);

    assertThat(times.next(Instant.parse("2026-10-24T23:45:00Z"), 2))
        .containsExactly(
            Instant.parse("2026-10-25T00:30:00Z"), Instant.parse("2026-10-25T02:30:00Z"));
  }

  @Test
  void hourlyTimesContinueWhenTheClocksChange() {
    assertThat(times("*/30 * * * *", "Europe/London", "2026-10-24T23:59:00Z", 5))
        .containsExactly(
            "2026-10-25T00:00:00Z",
            "2026-10-25T00:30:00Z",
            "2026-10-25T01:00:00Z",
            "2026-10-25T01:30:00Z",
            "2026-10-25T02:00:00Z");
    assertThat(times("40 * * * *", "America/New_York", "2026-03-08T06:30:00Z", 2))
        .containsExactly("2026-03-08T06:40:00Z", "2026-03-08T07:40:00Z");
  }

  @Test
  void aTimeThatOnlyComesInARepeatedHourOfOneYearIsFound() {
    ScheduleDefinition once =
        definition(
            "0 30 2 25 10 ? 2026", "Europe/Amsterdam", SkippedTime.NEVER, RepeatedTime.SECOND);
    PlannedTimes times = PlannedTimes.of(once, Instant.EPOCH);

    assertThat(times.next(Instant.parse("2026-01-01T00:00:00Z")))
        .contains(Instant.parse("2026-10-25T01:30:00Z"));
    assertThat(times.next(Instant.parse("2026-10-25T00:45:00Z")))
        .contains(Instant.parse("2026-10-25T01:30:00Z"));
    assertThat(times.next(Instant.parse("2026-10-25T01:30:00Z"))).isEmpty();
  }

  @Test
  void aMomentBetweenTwoSecondsIsBeforeTheSecondOfThem() {
    assertThat(times("* * * * *", "UTC", "2026-01-01T00:00:59.999999Z", 1))
        .containsExactly("2026-01-01T00:01:00Z");
    assertThat(times("* * * * *", "UTC", "2026-01-01T00:01:00.000001Z", 1))
        .containsExactly("2026-01-01T00:02:00Z");
  }

  private static List<String> times(String expression, String zone, String after, int count) {
    return PlannedTimes.of(definition(expression, zone, null, null), Instant.EPOCH)
        .next(Instant.parse(after), count)
        .stream()
        .map(Instant::toString)
        .toList();
  }

  private void compare(
      String expression,
      String zone,
      SkippedTime skipped,
      RepeatedTime repeated,
      String after,
      int days) {
    Instant from = Instant.parse(after);
    compare(expression, zone, skipped, repeated, from, Duration.ofDays(days));
  }

  private void compare(
      String expression,
      String zone,
      SkippedTime skipped,
      RepeatedTime repeated,
      Instant after,
      Duration span) {
    Instant end = after.plus(span);
    PlannedTimes times =
        PlannedTimes.of(definition(expression, zone, skipped, repeated), Instant.EPOCH);
    List<Instant> found =
        times.next(after, TIMES).stream().filter(time -> !time.isAfter(end)).toList();
    assertThat(found)
        .as(
            "%s in %s after %s, skipped %s, repeated %s",
            expression, zone, after, skipped, repeated)
        .isEqualTo(
            new BruteForce(expression, ZoneId.of(zone), skipped, repeated)
                .between(after, end, TIMES));
    compared++;
  }

  private static ScheduleDefinition definition(
      String expression, String zone, SkippedTime skipped, RepeatedTime repeated) {
    return new ScheduleDefinition(
        expression, null, null, zone, skipped, repeated, null, null, null, 0, false);
  }

  /** One of the values, or null. */
  private static <T> T any(T[] values, Random random) {
    int at = random.nextInt(values.length + 1);
    return at == values.length ? null : values[at];
  }

  private static List<ZoneOffsetTransition> changes(String zone, int from, int to) {
    List<ZoneOffsetTransition> changes = new ArrayList<>();
    ZoneId id = ZoneId.of(zone);
    Instant at = ZonedDateTime.of(from, 1, 1, 0, 0, 0, 0, id).toInstant();
    while (true) {
      ZoneOffsetTransition next = id.getRules().nextTransition(at);
      if (next == null || next.getDateTimeBefore().getYear() >= to) {
        return changes;
      }
      changes.add(next);
      at = next.getInstant();
    }
  }
}
