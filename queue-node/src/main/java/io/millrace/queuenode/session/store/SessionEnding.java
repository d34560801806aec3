package io.millrace.queuenode.session.store;

import java.util.Arrays;

/**
 * How a session ends that does not end at once, as its worker must give it back first, so that two
 * never have the key at once, or as events of it may be elsewhere. The codes are part of the
 * format.
 */
enum SessionEnding {
  /** It had no events for long; a further one keeps it open. */
  IDLE(1),
  /** One of its events failed too often. */
  FAILED(2),
  /** An operator closes it. */
  CLOSED(3),
  /** An operator removes it without a trace. */
  DROPPED(4),
  /**
   * Its worker has completed it while its slot was going to another node, or waited for another
   * one, and was not told that it has ended: further events keep it open.
   */
  COMPLETED(5);

  private final int code;

  SessionEnding(int code) {
    this.code = code;
  }

  /** Whether a further event, here or at another owner of the slot, keeps the session open. */
  boolean keptOpenByEvents() {
    return this == IDLE || this == COMPLETED;
  }

  /** As it is written; 0 for null. */
  static int code(SessionEnding ending) {
    return ending == null ? 0 : ending.code;
  }

  static SessionEnding of(int code) {
    return Arrays.stream(values()).filter(one -> one.code == code).findFirst().orElse(null);
  }
}
