package io.millrace.cli.definition;

import io.millrace.api.task.ChunkDefinition;
import io.millrace.api.task.ScheduleDefinition.TimeWindow;
import io.millrace.api.task.ScheduleDefinition.WindowEnd;
import io.millrace.api.task.SchedulePreview;
import io.millrace.api.task.TaskDefinition;
import io.millrace.api.workflow.GraphProblem;
import io.millrace.api.workflow.WorkflowDefinition;
import io.millrace.cli.output.DemandFormatter;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.NotificationFormatter;
import io.millrace.cli.output.ShellQuoting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Describes a task definition in text. Pure. */
public final class TaskFormatter {
  private static final int SHOWN_TEMPLATES = 10;

  private TaskFormatter() {}

  /** The schedule is null for a task that is only started manually. */
  public static Map<String, String> of(TaskDefinition task, SchedulePreview schedule) {
    Map<String, String> fields = new LinkedHashMap<>();
    if (task.workflow() == null) {
      fields.put(
          "worker",
          task.job().command() == null
              ? "built-in " + task.job().program()
              : "%s, pool %s".formatted(ShellQuoting.of(task.job().command()), task.job().pool()));
      fields.putAll(DemandFormatter.of(task.job()));
      fields.put("work", work(task));
    } else {
      fields.put("work", workflow(task.workflow()));
    }
    if (task.exclusive()) {
      fields.put("exclusive", "one job at a time, also after the loss of a node");
    }
    fields.put(
        "schedule",
        schedule == null ? "none: started by 'millrace task run' only" : schedule.description());
    if (task.window() != null) {
      fields.put("window", window(task.window()));
    }
    if (task.verify() != null) {
      fields.put("verify", ShellQuoting.of(task.verify()) + ", at the end of each run");
    }
    if (task.notification() != null) {
      fields.put("notifies", NotificationFormatter.of(task.notification()));
    }
    return fields;
  }

  private static String work(TaskDefinition task) {
    String atATime =
        task.endBy() == null
            ? ", " + task.instances() + " at a time"
            : ", as many at a time as needed to end by " + task.endBy();
    if (task.chunks() != null) {
      return chunks(task.chunks()) + atATime;
    }
    if (task.untilDone()) {
      return "until a worker reports that nothing is left" + atATime;
    }
    if (task.partition() != null) {
      return "each resource that %s prints, once per interval%s"
          .formatted(ShellQuoting.of(task.partition().discover()), atATime);
    }
    return task.instances() == 1
        ? "one worker per run"
        : task.instances() + " identical workers per run";
  }

  private static String workflow(WorkflowDefinition workflow) {
    List<GraphProblem> ignored = new ArrayList<>();
    WorkflowDefinition named = workflow.changed("workflow", value -> value, job -> job, job -> job);
    Map<String, Integer> sizes = named.graph(ignored).sizes();
    return "a workflow of %s: %s"
        .formatted(
            Figures.count(sizes.values().stream().mapToInt(Integer::intValue).sum(), "step"),
            sizes.keySet().stream().limit(SHOWN_TEMPLATES).collect(Collectors.joining(", "))
                + (sizes.size() > SHOWN_TEMPLATES ? ", …" : ""));
  }

  private static String chunks(ChunkDefinition chunks) {
    if (chunks.list() != null) {
      return Figures.count(chunks.list().size(), "chunk");
    }
    return chunks.range() != null
        ? "chunks " + chunks.range()
        : "each chunk that " + ShellQuoting.of(chunks.command()) + " prints";
  }

  private static String window(TimeWindow window) {
    String end =
        window.atEnd() == WindowEnd.STOP
            ? "work still running then is stopped"
            : "work still running then is finished";
    return "%s to %s; %s".formatted(window.from(), window.to(), end);
  }
}
