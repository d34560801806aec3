package io.millrace.api.definition;

/** What becomes of the work of a definition that is deleted. */
public enum DeletionMode {
  /** A queue's workers go on until it is empty; it is removed then. */
  DRAIN,
  /** A queue's events are dropped and its workers are stopped; it is removed then. */
  DISCARD,
  /** A task's runs are stopped; it is removed when they have ended. */
  STOP,
  /** There was nothing to wait for. */
  NONE
}
