package io.millrace.manager.job;

import io.millrace.api.job.JobState;

/**
 * A job that has just ended for good; its row says so already.
 *
 * @param job as it was before, under lock
 * @param state SUCCEEDED, FAILED or CANCELLED
 * @param reason why, for people; null if plain
 */
public record EndedJob(JobFacts job, JobState state, String reason) {}
