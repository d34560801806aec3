package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import io.millrace.manager.schedule.Cron.SpecialDay;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Describes a cron expression in English. Stateless. */
@Pure
final class CronFormatter {
  private static final int MAX_TIMES_NAMED = 6;

  private CronFormatter() {}

  /** Such as "at 02:00 on weekdays" or "every 5 minutes". */
  static String of(Cron cron) {
    String times = times(cron);
    String days = DayFormatter.of(cron);
    boolean roundTheClock = cron.everyHour() || times.matches("every [0-9]+ hours.*");
    return times + (days.isEmpty() && !roundTheClock ? " every day" : days);
  }

  private static String times(Cron cron) {
    SortedSet<Integer> seconds = cron.second().values();
    boolean onTheMinute = seconds.size() == 1 && seconds.first() == 0;
    if (seconds.size() > 1) {
      String often =
          cron.second().everything()
              ? "every second"
              : step(cron.second())
                  .map(step -> "every " + step + " seconds")
                  .orElse("at seconds " + listed(seconds) + " of the minute");
      return cron.minute().everything() ? often + hours(cron, "") : often + ", " + minutes(cron);
    }
    if (onTheMinute || named(cron)) {
      return minutes(cron);
    }
    return "at second " + seconds.first() + ", " + minutes(cron);
  }

  private static boolean named(Cron cron) {
    int times =
        cron.hour().values().size() * cron.minute().values().size() * cron.second().values().size();
    return !cron.everyHour() && times <= MAX_TIMES_NAMED;
  }

  private static String minutes(Cron cron) {
    SortedSet<Integer> minutes = cron.minute().values();
    if (named(cron)) {
      return "at " + EnglishLists.and(clockTimes(cron));
    }
    if (cron.minute().everything()) {
      return "every minute" + hours(cron, "");
    }
    if (minutes.size() == 1) {
      return hourly(cron, minutes.first());
    }
    return step(cron.minute())
            .map(
                step ->
                    "every "
                        + step
                        + " minutes"
                        + (minutes.first() == 0 ? "" : " from minute " + minutes.first()))
            .orElse("at minutes " + listed(minutes) + " of every hour")
        + hours(cron, "");
  }

  private static String hourly(Cron cron, int minute) {
    String at = minute == 0 ? "" : " at minute " + minute;
    if (cron.everyHour()) {
      return "every hour" + at;
    }
    return step(cron.hour())
        .filter(step -> cron.hour().values().first() == 0)
        .map(step -> "every " + step + " hours" + at)
        .orElse("every hour" + at + hours(cron, ""));
  }

  /** " from 09:00 to 17:59" for consecutive hours. */
  private static String hours(Cron cron, String otherwise) {
    if (cron.everyHour()) {
      return otherwise;
    }
    SortedSet<Integer> hours = cron.hour().values();
    int first = hours.first();
    int last = hours.last();
    if (last - first + 1 == hours.size()) {
      return " from "
          + clock(first, cron.minute().values().first())
          + " to "
          + clock(last, cron.minute().values().last());
    }
    return " in the hours " + listed(hours);
  }

  private static List<String> clockTimes(Cron cron) {
    SortedSet<Integer> seconds = cron.second().values();
    List<String> times = new ArrayList<>();
    for (int hour : cron.hour().values()) {
      for (int minute : cron.minute().values()) {
        int second = seconds.first();
        times.add(clock(hour, minute) + (second == 0 ? "" : ":" + padded(second)));
      }
    }
    return times;
  }

  private static String clock(int hour, int minute) {
    return padded(hour) + ":" + padded(minute);
  }

  private static String padded(int number) {
    return number < 10 ? "0" + number : Integer.toString(number);
  }

  private static String listed(SortedSet<Integer> values) {
    return EnglishLists.and(EnglishLists.ranges(values, Integer::toString));
  }

  /** The interval between a field's values if they are evenly spaced over the field's range. */
  private static Optional<Integer> step(CronField field) {
    int size = field.kind().size();
    int count = field.values().size();
    if (count < 2 || size % count != 0) {
      return Optional.empty();
    }
    int step = size / count;
    SortedSet<Integer> even =
        IntStream.range(0, count)
            .mapToObj(number -> field.values().first() + number * step)
            .collect(Collectors.toCollection(TreeSet::new));
    return even.equals(field.values()) ? Optional.of(step) : Optional.empty();
  }

  /** Describes the days of a cron expression in English. Stateless. */
  @Pure
  static final class DayFormatter {
    private static final Set<Integer> WEEKDAYS = Set.of(1, 2, 3, 4, 5);
    private static final Set<Integer> WEEKEND = Set.of(0, 6);

    private DayFormatter() {}

    /** Such as " on weekdays in January"; empty for every day. */
    static String of(Cron cron) {
      boolean byDay = cron.day() != null && !cron.day().everything();
      boolean byWeekday = cron.weekday() != null && !cron.weekday().everything();
      boolean byMonth = !cron.month().everything();
      String months =
          EnglishLists.and(EnglishLists.ranges(cron.month().values(), EnglishLists::month));
      String ofMonth = byMonth ? " of " + months : " of the month";
      StringBuilder text = new StringBuilder();
      if (!cron.special().isEmpty()) {
        text.append(" on ").append(special(cron, byDay, byWeekday));
      } else if (byDay && byWeekday) {
        text.append(" on ")
            .append(days(cron.day().values()))
            .append(ofMonth)
            .append(cron.either() ? " and also " : " when it is one of ")
            .append(cron.either() ? weekdays(cron.weekday().values()) : plain(cron.weekday()));
      } else if (byDay) {
        return text.append(" on ").append(days(cron.day().values())).append(ofMonth) + years(cron);
      } else if (byWeekday) {
        text.append(' ').append(weekdays(cron.weekday().values()));
      } else if (byMonth) {
        text.append(" every day");
      }
      boolean described = byDay && byWeekday && !cron.either() && cron.special().isEmpty();
      return text + (byMonth && !described ? " in " + months : "") + years(cron);
    }

    private static String years(Cron cron) {
      return cron.year().everything()
          ? ""
          : " in " + EnglishLists.and(EnglishLists.ranges(cron.year().values(), Integer::toString));
    }

    private static String special(Cron cron, boolean byDay, boolean byWeekday) {
      List<String> parts =
          cron.special().stream().map(SpecialDay::description).collect(Collectors.toList());
      if (byDay) {
        parts.add(0, days(cron.day().values()));
      }
      if (byWeekday) {
        parts.add(0, plain(cron.weekday()));
      }
      return EnglishLists.and(parts);
    }

    private static String days(SortedSet<Integer> days) {
      return "the " + EnglishLists.and(EnglishLists.ranges(days, EnglishLists::ordinal));
    }

    private static String weekdays(SortedSet<Integer> days) {
      if (days.equals(WEEKDAYS)) {
        return "on weekdays";
      }
      if (days.equals(WEEKEND)) {
        return "at weekends";
      }
      List<String> ranges = EnglishLists.ranges(days, EnglishLists::weekday);
      if (ranges.size() == 1 && days.size() > 1) {
        return "from " + ranges.get(0);
      }
      List<String> names = new ArrayList<>();
      days.forEach(day -> names.add(EnglishLists.weekday(day) + "s"));
      return "on " + EnglishLists.and(names);
    }

    private static String plain(CronField weekday) {
      return EnglishLists.and(
          weekday.values().stream().map(day -> EnglishLists.weekday(day) + "s").toList());
    }
  }
}
