package io.millrace.manager.schedule;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads 5 fields as Unix cron does, 6 or 7 as Quartz does, and names such as @daily. Stateless. */
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

  private CronReader() {}

  /**
   * Reads an expression.
   *
   * @throws MillraceException INVALID_DEFINITION that says what is wrong with it
   */
  static Cron read(String expression) {
    String text = expression.strip();
    if (text.startsWith("@")) {
      return unix(named(text).split(" ", -1));
    }
    if (text.matches("(?i)(CRON_)?TZ=.*")) {
      throw refuse(text, "names a time zone; write it as schedule.zone");
    }
    String[] fields = text.split("\\s+", -1);
    return switch (fields.length) {
      case 5 -> unix(fields);
      case 6, 7 -> QuartzReader.read(fields);
      default ->
          throw refuse(
              text,
              "has "
                  + (text.isEmpty() ? 0 : fields.length)
                  + " fields; write 5 (minute hour day month weekday), or 6 or 7 as Quartz does"
                  + " (second first, year last)");
    };
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
    if (text.toLowerCase(Locale.ROOT).startsWith("@every")) {
      throw refuse(text, "is written as schedule.every, such as 'every: 5m'");
    }
    throw refuse(text, "is unknown; write @hourly, @daily, @weekly, @monthly or @yearly");
  }

  private static Cron unix(String[] fields) {
    CronField day = CronField.read(FieldKind.DAY, fields[2]);
    CronField weekday = CronField.read(FieldKind.UNIX_WEEKDAY, fields[4]);
    boolean either = !day.star() && !weekday.star();
    if (either && (day.everything() || weekday.everything())) {
      // 1-31 is restricted to cron, so that either day field suffices; it holds every day.
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
        List.of(),
        CronField.any(FieldKind.YEAR),
        either);
  }

  static MillraceException refuse(String text, String rule) {
    return new MillraceException(
        ErrorCode.INVALID_DEFINITION, "schedule.cron: '" + text + "' " + rule);
  }
}
