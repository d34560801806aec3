package io.millrace.tests.drill.jobs;

import io.millrace.api.job.JobDetails;
import java.util.List;

/**
 * A job of the drill as recorded in the database, with the elements of its array.
 *
 * @param submitted the submitted job
 * @param details of the job itself
 * @param elements of its array; empty for a single job
 */
record RecordedJobs(AcceptedJob submitted, JobDetails details, List<JobDetails> elements) {
  /** The jobs with processes: the job itself, or its elements. */
  List<JobDetails> runnable() {
    return submitted.draft().spec().array() == null ? List.of(details) : elements;
  }
}
