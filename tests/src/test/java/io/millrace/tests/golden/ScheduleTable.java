package io.millrace.tests.golden;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.ScheduleDefinition.TimeWindow;
import io.millrace.api.task.ScheduleDefinition.WindowEnd;
import io.millrace.api.task.SchedulePreview;
import io.millrace.manager.schedule.SchedulePlan;
import java.time.Instant;
import java.time.LocalTime;
import java.util.List;

/** Descriptions of schedules, with their next times before both daylight saving changes. */
final class ScheduleTable {
  private static final List<Instant> FROM =
      List.of(Instant.parse("2026-03-28T12:00:00Z"), Instant.parse("2026-10-24T12:00:00Z"));
  private static final List<String> SCHEDULES =
      List.of(
          "{'cron':'0 2 * * 1-5','zone':'Europe/Amsterdam'}",
          "{'cron':'30 2 * * *','zone':'Europe/Amsterdam'}",
          "{'cron':'30 2 * * *','zone':'Europe/Amsterdam','skipped':'NEVER'}",
          "{'cron':'30 2 * * *','zone':'Europe/Amsterdam','repeated':'BOTH'}",
          "{'cron':'30 2 * * *','zone':'America/New_York'}",
          "{'cron':'*/15 9-17 * * 1-5'}",
          "{'cron':'0 3 13 * 5'}",
          "{'cron':'0 3 29 2 *'}",
          "{'cron':'@hourly'}",
          "{'cron':'@monthly','zone':'Asia/Kolkata'}",
          "{'cron':'H 4 * * *'}",
          "{'cron':'0 0 12 LW * ?'}",
          "{'cron':'0 0 12 ? * MON#2'}",
          "{'cron':'0 0 3 31 2 ?'}",
          "{'cron':'61 * * * *'}",
          "{'every':'90m'}",
          "{'every':'1d','zone':'Europe/Amsterdam'}",
          "{'every':'7m','jitter':'1m'}",
          "{'perpetual':{'afterWork':'1s','afterNothing':'30s'}}");

  String text() {
    StringBuilder text = new StringBuilder();
    for (String json : SCHEDULES) {
      text.append("### ").append(json.replace('\'', '"')).append('\n');
      describe(json, null, text);
      text.append("between 22:00 and 03:00\n");
      describe(
          json, new TimeWindow(LocalTime.of(22, 0), LocalTime.of(3, 0), WindowEnd.FINISH), text);
      text.append('\n');
    }
    return text.toString();
  }

  private static void describe(String json, TimeWindow window, StringBuilder text) {
    try {
      ScheduleDefinition schedule = Json.read(json.replace('\'', '"'), ScheduleDefinition.class);
      List<String> problems = SchedulePlan.problems(schedule, window, FROM.get(0));
      problems.forEach(problem -> text.append("  refused: ").append(problem).append('\n'));
      if (problems.isEmpty()) {
        for (Instant from : FROM) {
          SchedulePlan plan = SchedulePlan.of("golden", schedule, window, from);
          SchedulePreview preview = plan.preview(from);
          text.append("  ").append(preview.description()).append('\n');
          text.append("    from ").append(from).append(": ").append(preview.next()).append('\n');
        }
      }
    } catch (MillraceException e) {
      text.append("  refused: ").append(e.getMessage()).append('\n');
    }
  }
}
