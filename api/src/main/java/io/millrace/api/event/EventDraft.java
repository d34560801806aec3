package io.millrace.api.event;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;

/**
 * One event as a producer writes it in the envelope form (media type {@link EventMedia#ENVELOPES}).
 *
 * @param id the producer's id, at most 200 characters; null if the node is to derive one from the
 *     batch name
 * @param data any JSON value
 * @param attributes short texts that accompany the data; null for none
 * @param delay time from storing to the first delivery; null for none
 * @param priority 0 (the default) to 9; higher ones are delivered first; null for 0
 */
public record EventDraft(
    String id, JsonNode data, Map<String, String> attributes, Duration delay, Integer priority) {
  /** An event without delay, of ordinary priority. */
  public EventDraft(String id, JsonNode data, Map<String, String> attributes) {
    this(id, data, attributes, null, null);
  }
}
