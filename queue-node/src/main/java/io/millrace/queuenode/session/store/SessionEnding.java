package io.millrace.queuenode.session.store;

import java.util.Arrays;

/**
 * How a session ends without its worker's word, which must give it back first, so that two never
 * have the key at once. The codes are part of the format.
 */
enum SessionEnding {
  /** It had no events for long; a further one keeps it open. */
  IDLE(1),
  /** One of its events failed too often. */
  FAILED(2),
  /** An operator closes it. */
  CLOSED(3),
  /** An operator removes it without a trace. */
  DROPPED(4);

  private final int code;

  SessionEnding(int code) {
    this.code = code;
  }

  /** As it is written; 0 for null. */
  static int code(SessionEnding ending) {
    return ending == null ? 0 : ending.code;
  }

  static SessionEnding of(int code) {
    return Arrays.stream(values()).filter(one -> one.code == code).findFirst().orElse(null);
  }
}
