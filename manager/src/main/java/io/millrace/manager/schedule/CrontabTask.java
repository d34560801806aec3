package io.millrace.manager.schedule;

import io.millrace.api.task.TaskDefinition;
import java.util.List;

/**
 * A line of a crontab as a task.
 *
 * @param line its number, from 1
 * @param definition what it became
 * @param yaml the definition as a document to be applied, with its notes as remarks
 * @param notes what is not quite as it was, for people
 */
public record CrontabTask(int line, TaskDefinition definition, String yaml, List<String> notes) {
  public CrontabTask {
    notes = List.copyOf(notes);
  }
}
