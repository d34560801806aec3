package io.millrace.tests.drill.jobs;

import io.millrace.api.job.JobDetails;
import java.util.List;

/**
 * What the database says of a job.
 *
 * @param submitted what was wanted
 * @param details of the job itself
 * @param elements of its array; empty for a single job
 */
record RecordedJobs(AcceptedJob submitted, JobDetails details, List<JobDetails> elements) {
  /** The job itself, or its elements: whatever has processes. */
  List<JobDetails> runnable() {
    return submitted.draft().spec().array() == null ? List.of(details) : elements;
  }
}
