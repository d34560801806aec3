package io.millrace.queuenode.store;

import io.millrace.platform.event.SentEvent;
import java.nio.charset.StandardCharsets;

/**
 * An event before it is stored.
 *
 * @param id at most 250 characters
 * @param data JSON text in UTF-8, on one line; never changed after construction
 * @param attributes a JSON object of strings as text; null for none
 * @param priority 0 to 9, higher first
 * @param delayMillis time from storing until the first delivery; a store need not return it when it
 *     reads the event
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; a copy per event would cost
public record NewEvent(String id, byte[] data, String attributes, int priority, long delayMillis) {
  /** Maximum size of an event's data in bytes. */
  public static final int MAX_DATA = SentEvent.MAX_DATA;

  /** An event with default priority and without delay. */
  public NewEvent(String id, byte[] data, String attributes) {
    this(id, data, attributes, 0, 0);
  }

  /** What the event counts in the size of its segment. */
  public int bytes() {
    int beside = id.length() + (attributes == null ? 0 : attributes.length());
    return data.length + beside;
  }

  /** The data as text. */
  public String text() {
    return new String(data, StandardCharsets.UTF_8);
  }
}
