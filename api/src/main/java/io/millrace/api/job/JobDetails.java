package io.millrace.api.job;

import java.util.List;

/**
 * All that is known of a job.
 *
 * @param job as in lists
 * @param spec as submitted
 * @param attempts oldest first
 * @param history oldest first
 */
public record JobDetails(
    JobView job, JobSpec spec, List<AttemptView> attempts, List<JobEvent> history) {}
