package io.millrace.manager.insight;

import io.millrace.api.job.JobKind;
import java.time.Duration;

/**
 * A job that should have started by now.
 *
 * @param job its id
 * @param name its name
 * @param kind who wanted it
 * @param waited since it could have started
 * @param reason why it waits, as far as is known; null if not
 */
public record WaitingJob(long job, String name, JobKind kind, Duration waited, String reason) {}
