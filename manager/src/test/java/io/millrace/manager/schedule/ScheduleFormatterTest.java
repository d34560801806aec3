package io.millrace.manager.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.ScheduleDefinition.RepeatedTime;
import io.millrace.api.task.ScheduleDefinition.SkippedTime;
import io.millrace.api.task.ScheduleDefinition.TimeWindow;
import io.millrace.api.task.ScheduleDefinition.WindowEnd;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScheduleFormatterTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0 2 * * 1-5             | at 02:00 on weekdays, Amsterdam time
          0 2 * * *               | at 02:00 every day, Amsterdam time
          @daily                  | at 00:00 every day, Amsterdam time
          @hourly                 | every hour, Amsterdam time
          @weekly                 | at 00:00 on Sundays, Amsterdam time
          @monthly                | at 00:00 on the 1st of the month, Amsterdam time
          @yearly                 | at 00:00 on the 1st of January, Amsterdam time
          */5 * * * *             | every 5 minutes
          * * * * *               | every minute
          2-59/5 * * * *          | every 5 minutes from minute 2
          30 * * * *              | every hour at minute 30, Amsterdam time
          0 */2 * * *             | every 2 hours, Amsterdam time
          15 */6 * * *            | at 00:15, 06:15, 12:15 and 18:15 every day, Amsterdam time
          15 */3 * * 1-5          | every 3 hours at minute 15 on weekdays, Amsterdam time
          0,30 2 * * *            | at 02:00 and 02:30 every day, Amsterdam time
          */15 9-17 * * 1-5       | every 15 minutes from 09:00 to 17:45 on weekdays, Amsterdam time
          * 2 * * *               | every minute from 02:00 to 02:59 every day, Amsterdam time
          0 3 * * 0,6             | at 03:00 at weekends, Amsterdam time
          0 3 * * sun,wed         | at 03:00 on Sundays and Wednesdays, Amsterdam time
          0 3 * * 2-4             | at 03:00 from Tuesday to Thursday, Amsterdam time
          0 3 1,15 * *            | at 03:00 on the 1st and 15th of the month, Amsterdam time
          0 3 1-7 1,7 *           | at 03:00 on the 1st to 7th of January and July, Amsterdam time
          0 3 * 6-8 *             | at 03:00 every day in June to August, Amsterdam time
          0 3 13 * 5              | at 03:00 on the 13th of the month and also on Fridays, Amsterdam time
          0 3 1-31 * 5            | at 03:00 every day, Amsterdam time
          0 3 29 2 *              | at 03:00 on the 29th of February, Amsterdam time
          1,7,8,9,30 * * * *      | at minutes 1, 7 to 9 and 30 of every hour
          0/10 * * * * ?          | every 10 seconds
          * * * * * ?             | every second
          30 0 12 * * ?           | at 12:00:30 every day, Amsterdam time
          0 0 12 L * ?            | at 12:00 on the last day of the month, Amsterdam time
          0 0 12 L-3 * ?          | at 12:00 on the day 3 before the last of the month, Amsterdam time
          0 0 12 LW 12 ?          | at 12:00 on the last weekday of the month in December, Amsterdam time
          0 0 12 15W * ?          | at 12:00 on the weekday nearest to the 15th of the month, Amsterdam time
          0 0 12 ? * 6L           | at 12:00 on the last Friday of the month, Amsterdam time
          0 0 12 ? * MON#2        | at 12:00 on the 2nd Monday of the month, Amsterdam time
          0 0 12 ? * MON-FRI 2027 | at 12:00 on weekdays in 2027, Amsterdam time
          """)
  void expressionsAreDescribed(String cron, String words) {
    assertThat(
            PlannedTimes.of(Schedules.cron(cron, "Europe/Amsterdam"), Instant.EPOCH).description())
        .isEqualTo(words);
  }

  @ParameterizedTest
  @CsvSource({
    "UTC, UTC",
    "Z, UTC",
    "+02:00, UTC+02:00",
    "Australia/Lord_Howe, Lord Howe time",
    "America/New_York, New York time"
  })
  void theZoneIsNamedByItsCity(String zone, String words) {
    assertThat(ScheduleFormatter.of(Schedules.cron("0 2 * * *", zone), null))
        .isEqualTo("at 02:00 every day, " + words);
  }

  @Test
  void intervalsAndPerpetualRunsAreDescribed() {
    assertThat(ScheduleFormatter.of(Schedules.every(Duration.ofMinutes(5), null), null))
        .isEqualTo("every 5 minutes");
    assertThat(ScheduleFormatter.of(Schedules.every(Duration.ofHours(1), null), null))
        .isEqualTo("every hour");
    assertThat(ScheduleFormatter.of(Schedules.every(Duration.ofMinutes(90), null), null))
        .isEqualTo("every 1 hour 30 minutes");

    assertThat(ScheduleFormatter.of(Schedules.perpetual(), null))
        .isEqualTo(
            "continuously, 1 second after a run that found work and 1 minute after one that"
                + " found none");
  }

  @Test
  void windowsAndJitterAreDescribed() {
    TimeWindow night = new TimeWindow(LocalTime.of(2, 0), LocalTime.of(6, 0), null);
    TimeWindow late = new TimeWindow(LocalTime.of(22, 0), LocalTime.of(4, 30), WindowEnd.STOP);
    assertThat(ScheduleFormatter.of(Schedules.cron("*/5 * * * *", "Europe/Amsterdam"), night))
        .isEqualTo("every 5 minutes between 02:00 and 06:00, Amsterdam time");
    assertThat(ScheduleFormatter.of(Schedules.every(Duration.ofMinutes(5), null), late))
        .isEqualTo(
            "every 5 minutes between 22:00 and 04:30 of the next day, stopped at its end, UTC");
    ScheduleDefinition jittered =
        new ScheduleDefinition(
            "0 2 * * *",
            null,
            null,
            null,
            null,
            null,
            Duration.ofMinutes(10),
            null,
            null,
            0,
            false);
    assertThat(ScheduleFormatter.of(jittered, null))
        .isEqualTo("at 02:00 every day, UTC, with up to 10 minutes random delay");
  }

  @Test
  void otherRulesForClockChangesAreDescribed() {
    ScheduleDefinition never =
        new ScheduleDefinition(
            "30 2 * * *",
            null,
            null,
            "Europe/London",
            SkippedTime.NEVER,
            RepeatedTime.BOTH,
            null,
            null,
            null,
            0,
            false);
    assertThat(ScheduleFormatter.of(never, null))
        .isEqualTo(
            "at 02:30 every day, London time, except when the clocks skip it, both times when the"
                + " clocks show it twice");
  }
}
