package io.millrace.platform.event;

import java.util.Map;

/**
 * An event as its sender wrote it, with defaults for what is missing.
 *
 * @param id the sender's, or one made of the batch's name and the event's place
 * @param data JSON text in UTF-8, on one line; never changed after construction
 * @param attributes as sent; null for none
 * @param attributesText the same as a JSON object; null for none
 * @param priority 0 to 9, higher first
 * @param delayMillis time from storing until the first delivery
 * @param slotEpoch of a queue of sessions: the epoch under which the sender knows the slot of the
 *     event's key; 0 if it does not say
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; a copy per event would cost
public record SentEvent(
    String id,
    byte[] data,
    Map<String, String> attributes,
    String attributesText,
    int priority,
    long delayMillis,
    long slotEpoch) {
  /** Maximum size of an event's data in bytes. */
  public static final int MAX_DATA = 1 << 20;

  /** Maximum length of an event's attributes in characters, as JSON text. */
  public static final int MAX_ATTRIBUTES = 8_192;
}
