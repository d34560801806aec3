package io.millrace.api.queue;

/** How loaded a queue node is (H-051). */
public enum NodeState {
  /** Holds no segment. */
  IDLE,
  /** Can take more weight. */
  NORMAL,
  /** May not receive moved weight. */
  BUSY,
  /** Overloaded: sheds weight. */
  TOOBUSY
}
