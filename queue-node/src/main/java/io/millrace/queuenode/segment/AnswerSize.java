package io.millrace.queuenode.segment;

import io.millrace.queuenode.store.NewEvent;

/**
 * Estimates the size of an answer that shows events, so that it stays below the 4 MiB that a
 * central manager reads. Not thread-safe.
 */
final class AnswerSize {
  private static final long MAX = 2L << 20;
  // Names, numbers and the queue.
  private static final long FIELDS = 500;
  // Characters beyond ASCII take up to three bytes.
  private static final long PER_CHARACTER = 3;

  private boolean empty = true;
  private long bytes;

  /** Adds an event if it fits; the first always does, because the data of an event is bounded. */
  boolean add(NewEvent event, String reason) {
    long texts = event.id().length() + length(event.attributes()) + length(reason);
    long size = FIELDS + event.data().length + PER_CHARACTER * texts;
    if (!empty && bytes + size > MAX) {
      return false;
    }
    empty = false;
    bytes += size;
    return true;
  }

  private static long length(String text) {
    return text == null ? 0 : text.length();
  }
}
