package io.millrace.tests.drill.jobs;

import io.millrace.api.job.JobSpec;

/**
 * A job that the drill submits.
 *
 * @param rule what is to hold for it
 * @param spec what is submitted
 */
record DrillJob(Rule rule, JobSpec spec) {
  /** What is to hold for a job besides that it ends well. */
  enum Rule {
    /** Nothing else. */
    PLAIN,
    /** Fails for good when its node is lost while it runs, and only then. */
    FRAGILE,
    /** Its processes never overlap with those of the same single-instance name. */
    SINGLE,
    /** Its processes never overlap with those of its lane, and begin in the order of submission. */
    LANE,
    /** Each index runs. */
    ARRAY,
    /** Is started again and again until somebody cancels it, and never overlaps with itself. */
    RESTARTED
  }
}
