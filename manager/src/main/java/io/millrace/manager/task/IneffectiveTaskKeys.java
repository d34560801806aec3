package io.millrace.manager.task;

import io.millrace.api.Pure;
import io.millrace.api.job.JobSpec;
import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.ScheduleDefinition.CatchUpRule;
import io.millrace.api.task.ScheduleDefinition.WindowEnd;
import io.millrace.api.task.TaskDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Finds keys of a task that would have no effect beside its others, or none that can be meant. A
 * key with its default value is not found: definitions as they are stored and printed have all
 * keys.
 */
@Pure
final class IneffectiveTaskKeys {
  private static final int CATCH_UP_LIMIT = 10;

  private final List<String> problems = new ArrayList<>();

  private IneffectiveTaskKeys() {}

  /** A message for each of them, which begins with the key. */
  static List<String> problems(TaskDefinition task) {
    IneffectiveTaskKeys keys = new IneffectiveTaskKeys();
    if (task.job() != null) {
      keys.ofJob(task);
    }
    keys.ofRuns(task);
    if (task.schedule() != null) {
      keys.ofSchedule(task.schedule());
    }
    return keys.problems;
  }

  private void ofJob(TaskDefinition task) {
    JobSpec job = task.job();
    refuse(
        !job.idleExitCodes().isEmpty(),
        "job.idleExitCodes",
        "is replaced by idleExitCodes of the task; write them there");
    refuse(
        job.deadline() != null,
        "job.deadline",
        "is a moment after which no run could start; use timeout, job.timeout or endBy");
    refuse(
        task.partition() != null && job.stdin() != null,
        "job.stdin",
        "is replaced by the resources of the partition; leave it out");
  }

  private void ofRuns(TaskDefinition task) {
    refuse(
        task.idleExitCodes().contains(0),
        "idleExitCodes",
        "contains 0, which means that a worker has done its work; use codes from 1 to 255");
    refuse(
        task.chunks() != null && task.chunks().range() != null && task.chunks().range().limit() > 0,
        "chunks.range",
        "has a limit after %, which is for arrays of jobs; set instances to the number of workers");
    refuse(
        task.endBy() != null && task.instances() == 1,
        "endBy",
        "chooses the number of workers up to instances, which is 1; raise instances");
    refuse(
        task.schedule() == null
            && task.window() != null
            && task.window().atEnd() == WindowEnd.FINISH,
        "window",
        "is for planned runs, and this task has no schedule; add one, or atEnd: stop, or leave it out");
  }

  private void ofSchedule(ScheduleDefinition schedule) {
    if (schedule.perpetual() != null) {
      String reason = "is for planned times, which perpetual does not have; leave it out";
      refuse(schedule.jitter() != null, "schedule.jitter", reason);
      refuse(schedule.catchUp() != CatchUpRule.LAST, "schedule.catchUp", reason);
      refuse(schedule.catchUpPauses(), "schedule.catchUpPauses", reason);
    }
    refuse(
        schedule.catchUpLimit() != CATCH_UP_LIMIT && schedule.catchUp() != CatchUpRule.ALL,
        "schedule.catchUpLimit",
        "applies to catchUp: all only, not to %s; leave it out"
            .formatted(schedule.catchUp().name().toLowerCase(Locale.ROOT)));
  }

  private void refuse(boolean found, String key, String reason) {
    if (found) {
      problems.add(key + " " + reason);
    }
  }
}
