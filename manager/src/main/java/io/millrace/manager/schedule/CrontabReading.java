package io.millrace.manager.schedule;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What a crontab became.
 *
 * @param tasks in the order of their lines
 * @param refused lines that became none
 */
public record CrontabReading(List<CrontabTask> tasks, List<RefusedLine> refused) {
  public CrontabReading {
    tasks = List.copyOf(tasks);
    refused = List.copyOf(refused);
  }

  /** All tasks as one file of definitions. */
  public String yaml() {
    return tasks.stream().map(CrontabTask::yaml).collect(Collectors.joining("---\n"));
  }
}
