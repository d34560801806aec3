package io.millrace.api.task;

import java.time.Instant;

/**
 * One run of a task.
 *
 * @param id its number
 * @param task the task
 * @param version version of the definition that it keeps to its end
 * @param cause why
 * @param plannedAt when it was to start; of a record of several missed times, the last of them
 * @param startedAt null if it never did
 * @param endedAt null while it lasts
 * @param state where it stands
 * @param reason for people; null if plain
 * @param by who said so; null for the schedule
 * @param total chunks or workers of it; 0 while unknown
 * @param done of them
 * @param failed of them, for good
 * @param running workers now
 * @param manager job of its task manager; null before the start
 * @param plannedFrom the first of the missed times that this one records; null if it is one
 * @param plannedTimes how many planned times it stands for; 1 unless many were missed
 */
public record TaskRunView(
    long id,
    String task,
    int version,
    RunCause cause,
    Instant plannedAt,
    Instant startedAt,
    Instant endedAt,
    RunState state,
    String reason,
    String by,
    long total,
    long done,
    long failed,
    int running,
    Long manager,
    Instant plannedFrom,
    long plannedTimes) {}
