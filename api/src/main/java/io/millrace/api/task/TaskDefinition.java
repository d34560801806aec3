package io.millrace.api.task;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.job.JobSpec;
import io.millrace.api.notification.Notification;
import io.millrace.api.partition.PartitionDefinition;
import io.millrace.api.task.ScheduleDefinition.OverlapRule;
import io.millrace.api.task.ScheduleDefinition.TimeWindow;
import io.millrace.api.workflow.WorkflowDefinition;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.stream.Stream;

/**
 * Work without a queue, as defined by an operator. Without {@code chunks}, {@code untilDone} and
 * {@code partition} a run starts {@code instances} equal jobs and waits for them.
 *
 * @param name 1 to 60 characters: letters, digits, dot, dash, underscore
 * @param description human-readable; null for none
 * @param schedule when it runs; null to run it only on request
 * @param window the part of the day in which it may run; null for all day
 * @param job what each worker runs; {@code single}, {@code array}, {@code after} and {@code input}
 *     are set by the platform; null for a task that runs a workflow
 * @param workflow what each run submits instead; null for a job. The values of its arguments may
 *     contain {@code {planned}} and {@code {planned.date}}
 * @param instances workers at a time; 1 by default. With {@code endBy} the largest number
 * @param exclusive whether no two jobs of the task ever run at the same time, also after the loss
 *     of a node; null for yes with one instance and without {@code partition}
 * @param chunks known work; null for none
 * @param untilDone unknown work: workers are started until one reports that nothing is left
 * @param idleExitCodes exit codes that mean "found nothing to do" (a success); 75 by default
 * @param verify command at the end of a run; if it fails, the run fails; null for none
 * @param endBy intended end of a run, from which the number of workers is derived (H-023); null for
 *     {@code instances}
 * @param partition resources that are polled once per interval, where a run replaces the rest of
 *     the previous one; null for none
 * @param timeout of a run; null for none
 * @param notification whom to notify of failed, late, missed and hung runs; null for none
 */
public record TaskDefinition(
    String name,
    String description,
    ScheduleDefinition schedule,
    TimeWindow window,
    JobSpec job,
    WorkflowDefinition workflow,
    int instances,
    Boolean exclusive,
    ChunkDefinition chunks,
    boolean untilDone,
    List<Integer> idleExitCodes,
    List<String> verify,
    LocalTime endBy,
    PartitionDefinition partition,
    Duration timeout,
    @JsonProperty("notify") Notification notification) {
  private static final int TEMPORARY_FAILURE = 75;

  public TaskDefinition {
    Names.require("name", name, ErrorCode.INVALID_DEFINITION);
    require(
        job != null || workflow != null,
        "job is missing: write at least job.command, or a workflow instead");
    require(job == null || workflow == null, "workflow and job exclude one another");
    instances = instances == 0 ? 1 : instances;
    require(instances >= 1 && instances <= 10_000, "instances must be from 1 to 10000");
    long kinds =
        Stream.of(chunks != null, untilDone, partition != null).filter(present -> present).count();
    require(kinds <= 1, "chunks, untilDone and partition exclude one another");
    require(
        workflow == null
            || (kinds == 0
                && instances == 1
                && verify == null
                && endBy == null
                && (idleExitCodes == null || idleExitCodes.equals(List.of(TEMPORARY_FAILURE)))),
        "workflow: instances, chunks, untilDone, partition, verify, endBy and idleExitCodes are for"
            + " tasks with a job; make them templates of the workflow");
    require(
        workflow == null || schedule == null || schedule.perpetual() == null,
        "workflow: schedule.perpetual is for tasks with a job; use cron or every");
    boolean single = instances == 1 && partition == null && workflow == null;
    exclusive = exclusive == null ? single : exclusive;
    require(
        single || !exclusive,
        workflow == null
            ? "exclusive requires one instance and no partition: several workers run at the same"
                + " time, and a resource may be polled twice when a node is lost"
            : "exclusive is for tasks with a job: steps of a workflow run at the same time");
    require(endBy == null || chunks != null, "endBy requires chunks");
    require(
        partition == null || (schedule != null && schedule.every() != null),
        "partition requires schedule.every as its interval");
    require(
        partition == null || schedule.overlap() != OverlapRule.QUEUE,
        "schedule.overlap: queue is not for partition, whose next interval replaces the rest of"
            + " this one; leave it out");
    // The next interval starts on time, even if this one is not finished.
    schedule = partition == null ? schedule : schedule.withOverlap(OverlapRule.REPLACE);
    require(
        job == null
            || (job.single() == null
                && job.array() == null
                && job.after().isEmpty()
                && job.input() == null
                && !job.restart()),
        "job: single, array, after, input and restart are not allowed in tasks");
    idleExitCodes = idleExitCodes == null ? List.of(TEMPORARY_FAILURE) : List.copyOf(idleExitCodes);
    require(
        idleExitCodes.stream().allMatch(code -> code >= 0 && code <= 255),
        "idleExitCodes must be from 0 to 255");
    verify = verify == null ? null : List.copyOf(verify);
    require(verify == null || !verify.isEmpty(), "verify is a command: write it as a list");
    require(
        timeout == null || timeout.compareTo(Duration.ofSeconds(1)) >= 0,
        "timeout must be at least 1s");
  }

  /** The next time of day {@code endBy} after the start of a run; null without one of them. */
  public Instant endsBy(Instant started) {
    if (endBy == null || started == null) {
      return null;
    }
    ZoneId zone = schedule == null ? ZoneOffset.UTC : ZoneId.of(schedule.zone());
    ZonedDateTime start = started.atZone(zone);
    ZonedDateTime end = start.with(endBy);
    return (end.isAfter(start) ? end : end.plusDays(1)).toInstant();
  }

  /** The same task with another job. */
  public TaskDefinition withJob(JobSpec other) {
    return new TaskDefinition(
        name,
        description,
        schedule,
        window,
        other,
        workflow,
        instances,
        exclusive,
        chunks,
        untilDone,
        idleExitCodes,
        verify,
        endBy,
        partition,
        timeout,
        notification);
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
    }
  }
}
