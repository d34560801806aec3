package io.millrace.manager.schedule;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import io.millrace.manager.schedule.Cron.SpecialDay;
import io.millrace.manager.schedule.CronField.FieldKind;
import java.time.DayOfWeek;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses 5 fields as Unix cron does, 6 or 7 as Quartz does, and names such as @daily. In both forms
 * a day field may be a question mark, and L, W and # may be parts of lists. Stateless.
 */
@Pure
final class CronReader {
  private static final Map<String, String> NAMED =
      Map.of(
          "@yearly", "0 0 1 1 *",
          "@annually", "0 0 1 1 *",
          "@monthly", "0 0 1 * *",
          "@weekly", "0 0 * * 0",
          "@daily", "0 0 * * *",
          "@midnight", "0 0 * * *",
          "@hourly", "0 * * * *");

  private static final FieldKind[] UNIX_KINDS = {
    FieldKind.MINUTE, FieldKind.HOUR, FieldKind.DAY, FieldKind.MONTH, FieldKind.UNIX_WEEKDAY
  };
  private static final FieldKind[] QUARTZ_KINDS = {
    FieldKind.SECOND,
    FieldKind.MINUTE,
    FieldKind.HOUR,
    FieldKind.DAY,
    FieldKind.MONTH,
    FieldKind.QUARTZ_WEEKDAY,
    FieldKind.YEAR
  };

  private CronReader() {}

  /**
   * Reads an expression.
   *
   * @throws MillraceException INVALID_DEFINITION that names the error
   */
  static Cron read(String expression) {
    String[] fields = fields(expression);
    return fields.length == 5 ? unix(fields) : quartz(fields);
  }

  /**
   * What is senseless in an expression that can be read; such expressions are not accepted anew.
   *
   * @throws MillraceException INVALID_DEFINITION if it cannot be read
   */
  static List<String> doubts(String expression) {
    read(expression);
    String[] fields = fields(expression);
    boolean unix = fields.length == 5;
    FieldKind[] kinds = unix ? UNIX_KINDS : QUARTZ_KINDS;
    List<String> doubts = new ArrayList<>();
    for (int at = 0; at < fields.length; at++) {
      CronField.oversizedStep(kinds[at], fields[at])
          .ifPresent(doubt -> doubts.add("schedule.cron: " + doubt));
    }
    return doubts;
  }

  private static String[] fields(String expression) {
    String text = expression.strip();
    if (text.startsWith("@")) {
      return named(text).split(" ", -1);
    }
    if (text.matches("(?i)(CRON_)?TZ=.*")) {
      throw refuse(text, "names a time zone; write it as schedule.zone");
    }
    String[] fields = text.split("\\s+", -1);
    if (fields.length < 5 || fields.length > 7) {
      int count = text.isEmpty() ? 0 : fields.length;
      throw refuse(
          text,
          "has "
              + MessageText.counted(count, "field")
              + "; write 5 (minute hour day month weekday), or 6 or 7 as Quartz does"
              + " (second first, year last)");
    }
    return fields;
  }

  private static String named(String text) {
    String fields = NAMED.get(text.toLowerCase(Locale.ROOT));
    if (fields != null) {
      return fields;
    }
    if (text.equalsIgnoreCase("@reboot")) {
      throw refuse(
          text,
          "is not supported: tasks are not tied to a machine; use systemd or the machine's own cron");
    }
    throw refuse(text, "is unknown; write @hourly, @daily, @weekly, @monthly or @yearly");
  }

  private static Cron unix(String[] fields) {
    DayFields days = DayReader.read(FieldKind.UNIX_WEEKDAY, fields[2], fields[4]);
    CronField day = days.day();
    CronField weekday = days.weekday();
    boolean either = days.special().isEmpty() && !day.star() && !weekday.star();
    if (either && (day.everything() || weekday.everything())) {
      // To cron 1-31 is a restriction, so that either day field suffices: it matches every day.
      day = CronField.any(FieldKind.DAY);
      weekday = CronField.any(FieldKind.UNIX_WEEKDAY);
    }
    return new Cron(
        CronField.read(FieldKind.SECOND, "0"),
        CronField.read(FieldKind.MINUTE, fields[0]),
        CronField.read(FieldKind.HOUR, fields[1]),
        day,
        CronField.read(FieldKind.MONTH, fields[3]),
        weekday,
        days.special(),
        CronField.any(FieldKind.YEAR),
        either);
  }

  private static Cron quartz(String[] fields) {
    if (!DayReader.isFree(fields[3]) && !DayReader.isFree(fields[5])) {
      throw refuse(
          String.join(" ", fields),
          "restricts the day of month and the day of week; write ? for one of them, or 5 fields,"
              + " where either suffices");
    }
    DayFields days = DayReader.read(FieldKind.QUARTZ_WEEKDAY, fields[3], fields[5]);
    return new Cron(
        CronField.read(FieldKind.SECOND, fields[0]),
        CronField.read(FieldKind.MINUTE, fields[1]),
        CronField.read(FieldKind.HOUR, fields[2]),
        days.day(),
        CronField.read(FieldKind.MONTH, fields[4]),
        days.weekday(),
        days.special(),
        CronField.read(FieldKind.YEAR, fields.length == 7 ? fields[6] : "*"),
        false);
  }

  private static MillraceException refuse(String text, String rule) {
    return new MillraceException(
        ErrorCode.INVALID_DEFINITION, "schedule.cron: '" + text + "' " + rule);
  }

  /**
   * The two day fields.
   *
   * @param day null if only special days count
   * @param weekday null if only special days count
   */
  @Pure
  private record DayFields(CronField day, CronField weekday, List<SpecialDay> special) {}

  /** Parses the day fields, with L, W and # besides plain values. Stateless. */
  @Pure
  private static final class DayReader {
    private static final Pattern LAST = Pattern.compile("L(?:-([0-9]{1,2}))?(W)?");
    private static final Pattern NEAREST = Pattern.compile("([0-9]{1,2})W");
    private static final Pattern LAST_WEEKDAY = Pattern.compile("([0-9A-Z]+)L");
    private static final Pattern NTH_WEEKDAY = Pattern.compile("([0-9A-Z]+)#([0-9]{1,9})");
    private static final int LONGEST_MONTH = 31;
    private static final int WEEKS = 5;

    private DayReader() {}

    static DayFields read(FieldKind weekdays, String dayText, String weekdayText) {
      List<SpecialDay> special = new ArrayList<>();
      CronField day = days(isFree(dayText) ? "*" : dayText, special);
      CronField weekday = weekdays(weekdays, isFree(weekdayText) ? "*" : weekdayText, special);
      if (special.isEmpty()) {
        return new DayFields(day, weekday, List.of());
      }
      if (weekdays == FieldKind.UNIX_WEEKDAY) {
        requireNoStep(dayText);
        requireNoStep(weekdayText);
      }
      return new DayFields(
          isFree(dayText) ? null : day, isFree(weekdayText) ? null : weekday, List.copyOf(special));
    }

    // In five fields it would be a condition of its own, beside days of which any suffices.
    private static void requireNoStep(String text) {
      if (text.startsWith("*/")) {
        throw refuse(text, "cannot be combined with L, W or #; write a range such as 1-31/2");
      }
    }

    static boolean isFree(String field) {
      return field.equals("?") || field.equals("*");
    }

    private static CronField days(String field, List<SpecialDay> special) {
      List<String> plain = new ArrayList<>();
      for (String part : field.toUpperCase(Locale.ROOT).split(",", -1)) {
        Matcher last = LAST.matcher(part);
        Matcher nearest = NEAREST.matcher(part);
        if (last.matches()) {
          int before = last.group(1) == null ? 0 : Integer.parseInt(last.group(1));
          if (before >= LONGEST_MONTH) {
            throw refuse(part, "is not a day of any month; write L-0 to L-30");
          }
          special.add(
              last.group(2) == null
                  ? new SpecialDay.LastDay(before)
                  : new SpecialDay.LastWeekday(before));
        } else if (nearest.matches()) {
          CronField.read(FieldKind.DAY, nearest.group(1));
          special.add(new SpecialDay.NearestWeekday(Integer.parseInt(nearest.group(1))));
        } else {
          plain.add(part);
        }
      }
      return plain.isEmpty() ? null : CronField.read(FieldKind.DAY, String.join(",", plain));
    }

    private static CronField weekdays(FieldKind kind, String field, List<SpecialDay> special) {
      List<String> plain = new ArrayList<>();
      for (String part : field.toUpperCase(Locale.ROOT).split(",", -1)) {
        Matcher last = LAST_WEEKDAY.matcher(part);
        Matcher nth = NTH_WEEKDAY.matcher(part);
        if (last.matches()) {
          special.add(new SpecialDay.LastOfWeekday(weekday(kind, last.group(1))));
        } else if (nth.matches()) {
          int week = Integer.parseInt(nth.group(2));
          if (week < 1 || week > WEEKS) {
            throw refuse(part, "is not a day of a month: the number after # must be 1 to 5");
          }
          special.add(new SpecialDay.NthOfWeekday(weekday(kind, nth.group(1)), week));
        } else if (part.equals("L")) {
          plain.add(lastOfWeek(kind));
        } else {
          plain.add(part);
        }
      }
      return plain.isEmpty() ? null : CronField.read(kind, String.join(",", plain));
    }

    // Alone, L is the last day of Quartz's week; Unix weeks have no agreed last day.
    private static String lastOfWeek(FieldKind kind) {
      if (kind == FieldKind.UNIX_WEEKDAY) {
        throw refuse(
            "L", "needs a day of the week before it in 5 fields, such as 5L for the last Friday");
      }
      return "SAT";
    }

    private static DayOfWeek weekday(FieldKind kind, String text) {
      int fromSunday = CronField.read(kind, text).values().first();
      return fromSunday == 0 ? DayOfWeek.SUNDAY : DayOfWeek.of(fromSunday);
    }
  }
}
