package io.millrace.manager.schedule;

import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.ScheduleDefinition.PerpetualDefinition;
import java.time.Duration;

/** Schedules with nothing but what they are about. */
final class Schedules {
  private Schedules() {}

  static ScheduleDefinition cron(String cron, String zone) {
    return of(cron, null, null, zone);
  }

  static ScheduleDefinition every(Duration interval, String zone) {
    return of(null, interval, null, zone);
  }

  static ScheduleDefinition perpetual() {
    return of(null, null, new PerpetualDefinition(null, null), null);
  }

  private static ScheduleDefinition of(
      String cron, Duration every, PerpetualDefinition perpetual, String zone) {
    return new ScheduleDefinition(
        cron, every, perpetual, zone, null, null, null, null, null, 0, false);
  }
}
