package io.millrace.tests.drill.tasks;

import io.millrace.api.Json;
import io.millrace.api.task.ScheduleDefinition.CatchUpRule;
import io.millrace.tests.drill.check.TaggedProcesses;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A task of the drill and the interval of each of its versions. Not thread-safe. */
final class DrillTask {
  /** Maximum number of runs that {@code all} catches up. */
  static final int LIMIT = 20;

  private final String name;
  private final CatchUpRule catchUp;
  private final List<Duration> intervals = new ArrayList<>();

  DrillTask(String name, CatchUpRule catchUp, Duration interval) {
    this.name = name;
    this.catchUp = catchUp;
    intervals.add(interval);
  }

  String name() {
    return name;
  }

  CatchUpRule catchUp() {
    return catchUp;
  }

  /** The interval of a version, from 1. */
  Duration interval(int version) {
    return intervals.get(version - 1);
  }

  /** Adds a version with another interval. */
  void change(Duration interval) {
    intervals.add(interval);
  }

  Duration interval() {
    return interval(intervals.size());
  }

  /** Its current definition; each run appends a line to the {@link LaunchJournal}. */
  String yaml(Path journal, TaggedProcesses tag) {
    Map<String, String> environment = new TreeMap<>(tag.environment());
    environment.put("JOURNAL", journal.toString());
    return
"""
---
kind: task
name: %s
description: version %d
schedule: {every: %ds, overlap: skip, catchUp: %s}
job:
  command: [sh, -c, 'read -r up rest < /proc/uptime; echo "$MILLRACE_TASK_RUN $MILLRACE_TASK_PLANNED $MILLRACE_ATTEMPT $up" >> "$JOURNAL"']
  env: %s
"""
        .formatted(
            name,
            intervals.size(),
            interval().toSeconds(),
            catchUp == CatchUpRule.ALL
                ? "all, catchUpLimit: " + LIMIT
                : catchUp.name().toLowerCase(Locale.ROOT),
            Json.write(environment));
  }
}
