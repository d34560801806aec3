package io.millrace.api.task;

import java.time.Instant;

/**
 * A task as it stands.
 *
 * @param definition in force
 * @param version of the definition
 * @param schedule what its schedule means, with the next five times; null without one
 * @param paused whether nothing is started
 * @param pausedBy who paused it; null when nobody did
 * @param pauseReason null when nobody gave one
 * @param pausedUntil when the pause ends by itself; null for never
 * @param current the run that lasts; null for none
 * @param last the newest run that ended; null for none
 */
public record TaskView(
    TaskDefinition definition,
    int version,
    SchedulePreview schedule,
    boolean paused,
    String pausedBy,
    String pauseReason,
    Instant pausedUntil,
    TaskRunView current,
    TaskRunView last) {}
