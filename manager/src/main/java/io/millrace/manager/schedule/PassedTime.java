package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import io.millrace.api.task.RunState;
import java.time.Instant;

/**
 * A planned time that does not become a run; it is recorded.
 *
 * @param plannedAt with the task's name unique
 * @param state MISSED or SKIPPED
 * @param reason for people
 */
@Pure
public record PassedTime(Instant plannedAt, RunState state, String reason) {}
