package io.millrace.manager.job;

import io.millrace.api.job.JobSpec;

/**
 * A job to be recorded.
 *
 * @param spec the specification
 * @param array the array that it is an element of; null for other jobs
 * @param index its index in the array; null for other jobs
 */
record NewJob(JobSpec spec, Long array, Long index) {
  /** An ordinary job, or an array. */
  public static NewJob of(JobSpec spec) {
    return new NewJob(spec, null, null);
  }

  /**
   * An element of an array, which has nothing left to wait for but its turn.
   *
   * @param spec the array's, as changed for this element
   */
  public static NewJob element(JobSpec spec, long array, long index) {
    JobSpec own = spec.draft().array(null).after(null).hold(false).notBefore(null).spec();
    return new NewJob(own, array, index);
  }

  /** Whether it is the own job of an array. */
  boolean isArray() {
    return spec.array() != null;
  }
}
