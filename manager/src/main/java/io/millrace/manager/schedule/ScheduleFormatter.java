package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.ScheduleDefinition.RepeatedTime;
import io.millrace.api.task.ScheduleDefinition.SkippedTime;
import io.millrace.api.task.ScheduleDefinition.TimeWindow;
import io.millrace.api.task.ScheduleDefinition.WindowEnd;
import io.millrace.manager.schedule.CronFormatter.DayFormatter;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Describes a schedule and its window in English. Stateless. */
@Pure
public final class ScheduleFormatter {
  private ScheduleFormatter() {}

  /**
   * Such as "every 5 minutes between 02:00 and 06:00, Amsterdam time".
   *
   * @param window null for no window
   * @throws io.millrace.api.MillraceException INVALID_DEFINITION if the cron expression is wrong
   */
  public static String of(ScheduleDefinition schedule, TimeWindow window) {
    Cron cron = schedule.cron() == null ? null : CronReader.read(schedule.cron());
    StringBuilder words = new StringBuilder(times(schedule, cron));
    if (window != null) {
      words.append(window(window));
    }
    if (window != null || (cron != null && !same(cron))) {
      words.append(", ").append(zone(schedule.zone()));
    }
    if (cron != null) {
      words.append(changes(schedule, cron));
    }
    if (schedule.jitter() != null && !schedule.jitter().isZero()) {
      words
          .append(", with up to ")
          .append(EnglishLists.duration(schedule.jitter()))
          .append(" random delay");
    }
    return words.toString();
  }

  private static String times(ScheduleDefinition schedule, Cron cron) {
    if (cron != null) {
      return CronFormatter.of(cron);
    }
    if (schedule.every() != null) {
      return EnglishLists.every(schedule.every());
    }
    return "continuously, "
        + EnglishLists.duration(schedule.perpetual().afterWork())
        + " after a run that found work and "
        + EnglishLists.duration(schedule.perpetual().afterNothing())
        + " after one that found none";
  }

  /** Whether its times are the same in every zone whose offset is a multiple of an hour. */
  private static boolean same(Cron cron) {
    return cron.everyHour() && DayFormatter.of(cron).isEmpty() && cron.minute().values().size() > 1;
  }

  private static String window(TimeWindow window) {
    return " between "
        + window.from()
        + " and "
        + window.to()
        + (window.to().isBefore(window.from()) ? " of the next day" : "")
        + (window.atEnd() == WindowEnd.STOP ? ", stopped at its end" : "");
  }

  private static String changes(ScheduleDefinition schedule, Cron cron) {
    if (ZoneId.of(schedule.zone()).getRules().isFixedOffset()) {
      return "";
    }
    boolean everyHour = cron.everyHour();
    StringBuilder words = new StringBuilder();
    if (schedule.skipped() == SkippedTime.NEVER && !everyHour) {
      words.append(", except when the clocks skip it");
    } else if (schedule.skipped() == SkippedTime.AFTER_GAP && everyHour) {
      words.append(", once more after the clocks have skipped some");
    }
    if (schedule.repeated() == RepeatedTime.SECOND) {
      words.append(", the second time when the clocks show it twice");
    } else if (schedule.repeated() == RepeatedTime.BOTH && !everyHour) {
      words.append(", both times when the clocks show it twice");
    } else if (schedule.repeated() == RepeatedTime.FIRST && everyHour) {
      words.append(", only the first time when the clocks show it twice");
    }
    return words.toString();
  }

  /** "Amsterdam time", "UTC", "UTC+02:00". */
  private static String zone(String name) {
    ZoneId zone = ZoneId.of(name).normalized();
    if (zone.equals(ZoneOffset.UTC)) {
      return "UTC";
    }
    if (zone instanceof ZoneOffset) {
      return "UTC" + zone;
    }
    return name.substring(name.lastIndexOf('/') + 1).replace('_', ' ') + " time";
  }
}
