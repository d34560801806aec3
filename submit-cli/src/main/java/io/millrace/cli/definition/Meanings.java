package io.millrace.cli.definition;

import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.task.SchedulePreview;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.definition.DefinitionText;
import io.millrace.manager.queue.QueueKind;
import io.millrace.manager.schedule.SchedulePlan;
import io.millrace.manager.task.TaskKind;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Tells what definitions mean. Pure. */
final class Meanings {
  private final Instant now;

  /** Planned times are those after now. */
  Meanings(Instant now) {
    this.now = now;
  }

  Meaning of(DefinitionText text) {
    return switch (text.kind()) {
      case QueueKind.WORD -> meaning(text, QueueFormatter.of(text.as(QueueDefinition.class)), null);
      case TaskKind.WORD -> task(text, text.as(TaskDefinition.class));
      default -> meaning(text, Map.of(), null);
    };
  }

  private Meaning task(DefinitionText text, TaskDefinition task) {
    SchedulePreview schedule =
        task.schedule() == null
            ? null
            : SchedulePlan.of(task.name(), task.schedule(), task.window(), now).preview(now);
    return meaning(text, TaskFormatter.of(task, schedule), schedule);
  }

  private static Meaning meaning(
      DefinitionText text, Map<String, String> words, SchedulePreview schedule) {
    List<Instant> next = schedule == null ? List.of() : schedule.next();
    return new Meaning(text.kind(), text.name(), text.place(), words, next);
  }
}
