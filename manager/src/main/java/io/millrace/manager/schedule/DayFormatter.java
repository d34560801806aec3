package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Collectors;

/** The days of a cron expression in English. Stateless. */
@Pure
final class DayFormatter {
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
    StringBuilder words = new StringBuilder();
    if (!cron.special().isEmpty()) {
      words.append(" on ").append(special(cron, byDay, byWeekday));
    } else if (byDay && byWeekday) {
      words
          .append(" on ")
          .append(days(cron.day().values()))
          .append(ofMonth)
          .append(cron.either() ? " and also " : " when it is one of ")
          .append(cron.either() ? weekdays(cron.weekday().values()) : plain(cron.weekday()));
    } else if (byDay) {
      return words.append(" on ").append(days(cron.day().values())).append(ofMonth) + years(cron);
    } else if (byWeekday) {
      words.append(' ').append(weekdays(cron.weekday().values()));
    } else if (byMonth) {
      words.append(" every day");
    }
    boolean said = byDay && byWeekday && !cron.either() && cron.special().isEmpty();
    return words + (byMonth && !said ? " in " + months : "") + years(cron);
  }

  private static String years(Cron cron) {
    return cron.year().everything()
        ? ""
        : " in " + EnglishLists.and(EnglishLists.ranges(cron.year().values(), Integer::toString));
  }

  private static String special(Cron cron, boolean byDay, boolean byWeekday) {
    List<String> parts =
        cron.special().stream().map(SpecialDay::words).collect(Collectors.toList());
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
