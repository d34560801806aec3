package io.millrace.api.queue;

/** What operators want of a queue node. */
public enum QueueNodeStatus {
  /** Takes its part. */
  ACTIVE,
  /** Gives all its weight away and gets none, until it is told otherwise. */
  DRAINING,
  /** Away for a known time: keeps its weight, gets none, and is not lost until then. */
  MAINTENANCE
}
