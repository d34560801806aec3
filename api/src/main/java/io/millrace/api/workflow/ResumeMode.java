package io.millrace.api.workflow;

/** What happens to the steps that run when a workflow is resumed while it is running. */
public enum ResumeMode {
  /** They continue, and count when they end. */
  HOT,
  /** They are ended first, and then run again. */
  COLD
}
