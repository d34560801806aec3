package io.millrace.api.job;

/** What created a job. */
public enum JobKind {
  /** A person or a program submitted it. */
  SUBMITTED,
  /** A queue manager submitted it to take a batch of events. */
  WORKER,
  /** A manager program: single instance, always restarted. */
  MANAGER
}
