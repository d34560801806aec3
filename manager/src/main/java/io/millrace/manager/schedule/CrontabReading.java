package io.millrace.manager.schedule;

import io.millrace.api.task.TaskDefinition;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The result of converting a crontab.
 *
 * @param tasks in the order of their lines
 * @param refused lines that could not be converted
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

  /**
   * A crontab line as a task.
   *
   * @param line its number, from 1
   * @param definition what it became
   * @param yaml the definition as a YAML document, with its notes as comments
   * @param notes differences from the crontab, human-readable
   */
  public record CrontabTask(int line, TaskDefinition definition, String yaml, List<String> notes) {
    public CrontabTask {
      notes = List.copyOf(notes);
    }
  }

  /**
   * The origin of a crontab, as far as its lines depend on it.
   *
   * @param system whether each line names a user before the command, as in /etc/crontab and
   *     /etc/cron.d
   * @param zone time zone of the machine, which cron uses
   * @param home directory in which cron ran the commands; null if unknown
   */
  public record CrontabOrigin(boolean system, String zone, String home) {}

  /**
   * A crontab line that could not be converted.
   *
   * @param line its number, from 1
   * @param text the line
   * @param reason the reason, and what to do
   */
  public record RefusedLine(int line, String text, String reason) {}
}
