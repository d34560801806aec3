package io.millrace.queuenode.store.log;

import java.io.IOException;

/** Events that are live could not be read as they were written; the message names the place. */
public final class UnreadableEvents extends IOException {
  private static final long serialVersionUID = 1L;

  UnreadableEvents(String message) {
    super(message);
  }
}
