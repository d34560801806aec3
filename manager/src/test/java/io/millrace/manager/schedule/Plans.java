package io.millrace.manager.schedule;

import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.ScheduleDefinition.CatchUpRule;
import io.millrace.api.task.ScheduleDefinition.OverlapRule;
import io.millrace.api.task.ScheduleDefinition.PerpetualDefinition;
import io.millrace.api.task.ScheduleDefinition.TimeWindow;
import io.millrace.api.task.ScheduleDefinition.WindowEnd;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;

/** Schedules for tests. */
final class Plans {
  static final Instant DAY = Instant.parse("2026-03-02T00:00:00Z");

  private Plans() {}

  static Instant at(String time) {
    return Instant.parse("2026-03-02T" + time + "Z");
  }

  static SchedulePlan every(Duration interval, OverlapRule overlap, CatchUpRule catchUp) {
    return every(interval, overlap, catchUp, 3, null);
  }

  static SchedulePlan every(
      Duration interval, OverlapRule overlap, CatchUpRule catchUp, int limit, Duration jitter) {
    return plan(
        new ScheduleDefinition(
            null, interval, null, null, null, null, jitter, overlap, catchUp, limit, false),
        null);
  }

  static SchedulePlan cron(String cron, String zone, TimeWindow window) {
    return plan(
        new ScheduleDefinition(cron, null, null, zone, null, null, null, null, null, 0, false),
        window);
  }

  static SchedulePlan perpetual(TimeWindow window) {
    return plan(
        new ScheduleDefinition(
            null,
            null,
            new PerpetualDefinition(null, null),
            null,
            null,
            null,
            null,
            null,
            null,
            0,
            false),
        window);
  }

  static SchedulePlan plan(ScheduleDefinition definition, TimeWindow window) {
    return SchedulePlan.of("nightly", definition, window, DAY);
  }

  static TimeWindow window(String from, String to) {
    return new TimeWindow(LocalTime.parse(from), LocalTime.parse(to), WindowEnd.FINISH);
  }
}
