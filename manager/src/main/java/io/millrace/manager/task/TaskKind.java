package io.millrace.manager.task;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobKind;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.definition.DefinitionKind;
import io.millrace.manager.job.JobRules;
import io.millrace.manager.schedule.SchedulePlan;
import java.util.ArrayList;
import java.util.List;

/** {@code kind: task}. */
public final class TaskKind implements DefinitionKind<TaskDefinition> {
  /** The word after {@code kind:}. */
  public static final String WORD = "task";

  @Override
  public String word() {
    return WORD;
  }

  @Override
  public Class<TaskDefinition> type() {
    return TaskDefinition.class;
  }

  @Override
  public String nameOf(TaskDefinition definition) {
    return definition.name();
  }

  /** A task whose worker could never be submitted is refused now, and not in the night. */
  @Override
  public List<String> problems(TaskDefinition task) {
    List<String> problems = new ArrayList<>();
    try {
      JobRules.check(JobKind.SUBMITTED, task.job());
    } catch (MillraceException e) {
      problems.add("job." + e.getMessage());
    }
    if (task.schedule() != null) {
      problems.addAll(SchedulePlan.problems(task.schedule(), task.window()));
    }
    return problems;
  }

  @Override
  public ObjectNode minimal() {
    ObjectNode task = JsonNodeFactory.instance.objectNode().put("name", "task");
    task.putObject("job").putArray("command").add("true");
    task.putObject("window").put("from", "00:00").put("to", "23:59");
    task.putObject("chunks").put("range", "1-1");
    return task;
  }
}
