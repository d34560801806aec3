package io.millrace.queuenode.store.log;

import java.io.IOException;

/** Thrown if live events cannot be read as they were written; the message names the position. */
public final class UnreadableEvents extends IOException {
  private static final long serialVersionUID = 1L;

  UnreadableEvents(String message) {
    super(message);
  }
}
