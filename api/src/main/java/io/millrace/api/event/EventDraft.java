package io.millrace.api.event;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;

/**
 * One event as a producer writes it in the envelope form (media type {@link EventMedia#ENVELOPES}).
 *
 * @param id the producer's own id, at most 200 characters; null lets the node make one from the
 *     batch id
 * @param data the operands, any JSON value
 * @param attributes short text beside the data; null for none
 * @param delay not delivered before so long after it was stored; null for at once
 * @param priority 0 (ordinary) to 9; the higher are delivered first; null for 0
 */
public record EventDraft(
    String id, JsonNode data, Map<String, String> attributes, Duration delay, Integer priority) {
  /** An event without delay, of ordinary priority. */
  public EventDraft(String id, JsonNode data, Map<String, String> attributes) {
    this(id, data, attributes, null, null);
  }
}
