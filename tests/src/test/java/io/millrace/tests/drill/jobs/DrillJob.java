package io.millrace.tests.drill.jobs;

import io.millrace.api.job.JobSpec;

/**
 * A job of the drill before its submission.
 *
 * @param rule the requirement that is checked
 * @param spec the submitted specification
 */
record DrillJob(Rule rule, JobSpec spec) {
  /** A requirement besides that the job succeeds. */
  enum Rule {
    /** No further requirement. */
    PLAIN,
    /** Fails permanently if its node is lost while it runs, and only then. */
    FRAGILE,
    /** Its processes never overlap with those of the same single-instance name. */
    SINGLE,
    /** Its processes never overlap with those of its lane, and start in the order of submission. */
    LANE,
    /** Each index runs. */
    ARRAY,
    /** Is restarted until it is cancelled, and never overlaps with itself. */
    RESTARTED
  }
}
