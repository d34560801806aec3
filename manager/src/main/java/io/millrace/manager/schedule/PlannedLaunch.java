package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import io.millrace.api.task.RunCause;
import java.time.Instant;

/**
 * A run to be inserted.
 *
 * @param plannedAt with the task's name unique
 * @param cause SCHEDULE, or CATCH_UP for a time that was missed
 * @param queued whether it waits: for the end of the run before (or of its stop), or for the window
 *     to open again; else it starts now
 */
@Pure
public record PlannedLaunch(Instant plannedAt, RunCause cause, boolean queued) {}
