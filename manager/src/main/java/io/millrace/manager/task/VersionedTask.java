package io.millrace.manager.task;

import io.millrace.api.task.CatchUpRule;
import io.millrace.api.task.OverlapRule;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.schedule.SchedulePlan;
import io.millrace.manager.schedule.WindowTimes;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.Optional;

/**
 * A version of a task.
 *
 * @param definition as applied
 * @param version from 1
 * @param appliedAt by the database's clock
 */
public record VersionedTask(TaskDefinition definition, int version, Instant appliedAt) {
  public String name() {
    return definition.name();
  }

  /** When it is planned; empty without a schedule. */
  Optional<SchedulePlan> plan(Instant firstApplied) {
    return Optional.ofNullable(definition.schedule())
        .map(schedule -> SchedulePlan.of(name(), schedule, definition.window(), firstApplied));
  }

  /** Whether a change from the other one leaves the planned times as they are. */
  boolean sameTimes(VersionedTask other) {
    return Objects.equals(definition.schedule(), other.definition.schedule())
        && Objects.equals(definition.window(), other.definition.window());
  }

  /** The zone of windows and wanted ends. */
  ZoneId zone() {
    return definition.schedule() == null ? ZoneOffset.UTC : ZoneId.of(definition.schedule().zone());
  }

  /** Its window. */
  WindowTimes window() {
    return WindowTimes.of(definition.window(), zone());
  }

  /** Whether planned times that could not be started in time are started later. */
  boolean catchesUp() {
    return definition.schedule() != null && definition.schedule().catchUp() != CatchUpRule.NONE;
  }

  /** What becomes of a run while the one before lasts. */
  OverlapRule overlap() {
    return definition.schedule() == null ? OverlapRule.SKIP : definition.schedule().overlap();
  }
}
