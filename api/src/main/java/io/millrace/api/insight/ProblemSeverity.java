package io.millrace.api.insight;

/** How much a problem matters. */
public enum ProblemSeverity {
  /** Work does not run, or may be lost, until somebody acts. */
  CRITICAL,
  /** Work runs, but something is wrong. */
  WARNING
}
