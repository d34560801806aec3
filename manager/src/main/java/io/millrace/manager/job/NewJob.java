package io.millrace.manager.job;

import io.millrace.api.job.JobSpec;

/**
 * A job to be recorded.
 *
 * @param spec what was asked for
 * @param array the array that it is an element of; null for a job of its own
 * @param index its index there; null for a job of its own
 */
public record NewJob(JobSpec spec, Long array, Long index) {
  /** A job of its own, or an array as a whole. */
  public static NewJob of(JobSpec spec) {
    return new NewJob(spec, null, null);
  }

  /**
   * An element of an array: what the array itself waited for is over.
   *
   * @param spec the array's, as changed for this element
   */
  public static NewJob element(JobSpec spec, long array, long index) {
    JobSpec own = spec.draft().array(null).after(null).hold(false).notBefore(null).spec();
    return new NewJob(own, array, index);
  }

  /** Whether it stands for an array. */
  boolean isArray() {
    return spec.array() != null;
  }
}
