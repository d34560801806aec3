package io.millrace.manager.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import io.millrace.api.task.ScheduleDefinition;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlannedTimesTest {
  private static final Instant NOW = Instant.parse("2026-11-23T00:00:00Z");

  @ParameterizedTest
  @ValueSource(strings = {"0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 0 31W 4 ?", "0 0 0 L-30 2 ?"})
  void aDateThatNeverComesIsRefused(String cron) {
    assertThat(PlannedTimes.problems(cron(cron), NOW))
        .containsExactly("schedule.cron: '" + cron + "' never matches; write a date that exists");
    assertThatThrownBy(() -> PlannedTimes.of(cron(cron), Instant.EPOCH))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("never matches");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          60 * * * *        | minute '60' must be 0 to 59
          * 24 * * *        | hour '24' must be 0 to 23
          * * 0 * *         | day of month '0' must be 1 to 31
          * * * 13 *        | month '13' must be 1 to 12 or JAN to DEC
          * * * * 8         | day of week '8' must be 0 to 7 or SUN to SAT
          0 0 0 ? * 0       | day of week '0' must be 1 to 7 or SUN to SAT
          */0 * * * *       | minute '*/0' has an invalid step
          1-5-9 * * * *     | minute '1-5-9' is not a range
          1//2 * * * *      | minute '1//2' has two steps
          , * * * *         | minute '' must be 0 to 59
          *                 | has 1 field; write 5
          * * * *           | has 4 fields; write 5
          0 0 0 1 1 ? 2027 1 | has 8 fields; write 5
          0 0 12 13 * FRI   | restricts the day of month and the day of week
          0 0 12 L-31 * ?   | is not a day of any month
          0 0 12 32W * ?    | day of month '32' must be 1 to 31
          0 0 12 ? * 6#6    | '6#6' is not a day of a month: the number after # must be 1 to 5
          @reboot           | not tied to a machine
          @fortnightly      | is unknown; write @hourly
          TZ=UTC 0 0 * * *  | names a time zone; write it as schedule.zone
          0 0 1 1 1 ? 2030-2027 | year '2030-2027' runs backwards
          ? * * * *         | a question mark is for the two day fields
          * * * * L         | needs a day of the week before it
          * * */2 * 5L      | cannot be combined with L, W or #
          * * 32W * *       | day of month '32' must be 1 to 31
          * * * * 8#1       | day of week '8' must be 0 to 7
          */60 * * * *      | only 0 would match; write 0 or a smaller step; for an interval of that length write schedule.every: 60m
          */90 * * * * ?    | schedule.every: 90s
          0 */36 * * *      | schedule.every: 36h
          30/40 * * * *     | only 30 would match; write 30 or a smaller step
          0 0 10-12/5 * *   | only 10 would match
          0 0 * */12 *      | only 1 would match
          0 0 * * */7       | only 0 would match
          0 0 12 1 1 ? 2020 | are over; write a year that is not past
          0~59 * * * *      | for a random minute write schedule.jitter
          """)
  void errorsNameTheFix(String cron, String words) {
    assertThat(PlannedTimes.problems(cron(cron), NOW))
        .singleElement()
        .asString()
        .startsWith("schedule.cron: ")
        .contains(words);
  }

  @ParameterizedTest
  @CsvSource({
    "0 0 * * 0, 0 0 * * 7",
    "0 0 * * sun, 0 0 * * SUN",
    "0 0 * * 5-7, 0 0 * * 5-sun",
    "5/20 * * * *, '5,25,45 * * * *'",
    "@daily, 0 0 * * *",
    "@annually, @yearly",
    "0 12 * * *, 0 0 12 * * *",
    "0 0 12 ? * 2-6, 0 12 * * 1-5",
    "0 0 22-1 * * ?, '0 22,23,0,1 * * *'",
    "0 0 ? * MON, 0 0 * * 1",
    "0 0 1 * ?, 0 0 1 * *",
    "0 0 * * FRI-MON, '0 0 * * 5,6,0,1'",
    "0 0 * * 5-0, '0 0 * * 5,6,0'",
    "0 0 * * 7-2, '0 0 * * 0,1,2'",
    "0 0 20-5/5 * *, '0 0 4,20,25,30 * *'",
    "'0 0 1 january,September-nov *', '0 0 1 1,9,10,11 *'",
    "0 0 * * monday-FRIDAY, 0 0 * * 1-5",
    "0 0 L * *, 0 0 0 L * ?",
    "0 0 15W * *, 0 0 0 15W * ?",
    "0 0 * * 5L, 0 0 0 ? * 6L",
    "0 0 * * FRI#2, 0 0 0 ? * 6#2",
    "0 0 * * 7L, 0 0 0 ? * 1L",
    "'0 0 0 */10,L * ?', '0 0 1,11,21,31,L * *'"
  })
  void equivalentExpressionsHaveTheSameTimes(String one, String other) {
    Instant from = Instant.parse("2026-02-27T11:00:00Z");
    assertThat(PlannedTimes.of(cron(one), Instant.EPOCH).next(from, 50))
        .isEqualTo(PlannedTimes.of(cron(other), Instant.EPOCH).next(from, 50))
        .hasSize(50);
  }

  @Test
  void lastDaysAndDaysOfTheWeekInFiveFieldsAreEachSufficient() {
    assertThat(PlannedTimes.of(cron("0 0 L * 1#1"), Instant.EPOCH).next(NOW, 3))
        .containsExactly(
            Instant.parse("2026-11-30T00:00:00Z"),
            Instant.parse("2026-12-07T00:00:00Z"),
            Instant.parse("2026-12-31T00:00:00Z"));
  }

  @Test
  void everyAmongCronExpressionsIsAnInterval() {
    ScheduleDefinition every = cron("@every 90m");

    assertThat(every.every()).isEqualTo(Duration.ofMinutes(90));
    assertThat(every.cron()).isNull();
    assertThatThrownBy(() -> cron("@every soon"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("schedule.cron: '@every soon' has no valid interval");
  }

  @Test
  void anIntervalCountsFromMidnightOfTheDayOfItsFirstApplyInItsZone() {
    ScheduleDefinition every = Schedules.every(Duration.ofHours(7), "Asia/Kathmandu");
    PlannedTimes times = PlannedTimes.of(every, Instant.parse("2026-05-01T20:00:00Z"));

    assertThat(times.next(Instant.parse("2026-05-01T20:00:00Z"), 2))
        .as("midnight of the 2nd of May is 18:15 UTC of the 1st")
        .containsExactly(
            Instant.parse("2026-05-02T01:15:00Z"), Instant.parse("2026-05-02T08:15:00Z"));
    assertThat(times.next(Instant.parse("2026-05-02T01:15:00Z")))
        .contains(Instant.parse("2026-05-02T08:15:00Z"));
  }

  @Test
  void perpetualHasNoPlannedTimes() {
    ScheduleDefinition perpetual = Schedules.perpetual();

    assertThat(PlannedTimes.problems(perpetual, NOW)).isEmpty();
    assertThat(PlannedTimes.of(perpetual, Instant.EPOCH).preview(Instant.EPOCH).next()).isEmpty();
  }

  @Test
  void whatWasAcceptedOnceIsStillCarriedOut() {
    ScheduleDefinition over = cron("0 0 12 1 1 ? 2020");

    assertThat(PlannedTimes.of(cron("*/90 * * * *"), Instant.EPOCH).next(NOW))
        .contains(Instant.parse("2026-11-23T01:00:00Z"));
    assertThat(PlannedTimes.of(over, Instant.EPOCH).next(Instant.parse("2026-01-01T00:00:00Z"), 5))
        .isEqualTo(List.of());
  }

  @Property(tries = 300)
  void anyExpressionAgreesWithTheSearchThroughEveryMinute(@ForAll("cases") Case one) {
    Instant end = one.after.plus(Duration.ofDays(60));
    PlannedTimes times = PlannedTimes.of(Schedules.cron(one.cron, one.zone), Instant.EPOCH);

    assertThat(times.next(one.after, 3).stream().filter(time -> !time.isAfter(end)).toList())
        .isEqualTo(
            new BruteForce(one.cron, ZoneId.of(one.zone), null, null).between(one.after, end, 3));
  }

  @Property(tries = 300)
  void plannedTimesRiseAndDoNotDependOnWhereTheSearchBegan(@ForAll("cases") Case one) {
    PlannedTimes times = PlannedTimes.of(Schedules.cron(one.cron, one.zone), Instant.EPOCH);
    List<Instant> found = times.next(one.after, 5);

    assertThat(found).isSorted().doesNotHaveDuplicates();
    found.forEach(time -> assertThat(times.next(time.minusNanos(1))).contains(time));
  }

  @Provide
  Arbitrary<Case> cases() {
    Arbitrary<String> crons =
        Arbitraries.longs()
            .map(Random::new)
            .map(
                random ->
                    random.nextBoolean() ? RandomCron.unix(random) : RandomCron.quartz(random));
    Arbitrary<String> zones =
        Arbitraries.of(
            "UTC",
            "America/New_York",
            "Europe/Amsterdam",
            "Australia/Lord_Howe",
            "America/Santiago",
            "Africa/Casablanca",
            "Asia/Kolkata");
    Arbitrary<Instant> moments =
        Arbitraries.longs().between(1_600_000_000L, 2_000_000_000L).map(Instant::ofEpochSecond);
    return Combinators.combine(crons, zones, moments).as(Case::new);
  }

  record Case(String cron, String zone, Instant after) {}

  private static ScheduleDefinition cron(String cron) {
    return Schedules.cron(cron, "UTC");
  }
}
