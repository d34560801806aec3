package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.List;
import java.util.function.Predicate;

/**
 * A cron expression that was read.
 *
 * @param second of the minute
 * @param minute of the hour
 * @param hour of the day
 * @param day of the month; null when other days are all that is meant
 * @param month of the year
 * @param weekday day of the week; null when other days are all that is meant
 * @param special further days, of which any suffices
 * @param year of the calendar
 * @param either whether day of month or day of week suffices; otherwise both must hold
 */
@Pure
record Cron(
    CronField second,
    CronField minute,
    CronField hour,
    CronField day,
    CronField month,
    CronField weekday,
    List<SpecialDay> special,
    CronField year,
    boolean either) {

  /** Whether it names no hour, so that it goes on hour after hour. */
  boolean everyHour() {
    return hour.everything();
  }

  /** The times it means on a wall clock. */
  LocalTimes times() {
    if (!special.isEmpty()) {
      Predicate<LocalDate> plain =
          date ->
              (day != null && day.values().contains(date.getDayOfMonth()))
                  || (weekday != null && weekday.values().contains(number(date.getDayOfWeek())));
      Predicate<LocalDate> any =
          date -> special.stream().anyMatch(one -> one.matches(date)) || plain.test(date);
      return quartz("*", "?").on(any);
    }
    boolean byWeekday = !weekday.everything();
    boolean byDay = !day.everything();
    if (!byWeekday) {
      return quartz(day.quartz(), "?");
    }
    if (!byDay) {
      return quartz("?", weekday.quartz());
    }
    if (either) {
      return LocalTimes.anyOf(List.of(quartz(day.quartz(), "?"), quartz("?", weekday.quartz())));
    }
    return quartz(day.quartz(), "?")
        .on(date -> weekday.values().contains(number(date.getDayOfWeek())));
  }

  private LocalTimes quartz(String days, String weekdays) {
    return new QuartzTimes(
        String.join(
            " ",
            second.quartz(),
            minute.quartz(),
            hour.quartz(),
            days,
            month.quartz(),
            weekdays,
            year.quartz()));
  }

  private static int number(DayOfWeek weekday) {
    return weekday.getValue() % 7;
  }
}
