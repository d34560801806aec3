package io.millrace.api.event;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import io.millrace.api.Durations;
import io.millrace.api.Json;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import java.time.Duration;
import java.util.Optional;

/**
 * What a worker that gets its events as a stream answers to one of them, as a line of its standard
 * output: {@code {"id":"…","ok":true}}, or {@code {"id":"…","ok":false,"reason":"…"}} with the
 * fields of a refusal.
 *
 * @param id the event's id
 * @param ok whether the event is done; otherwise it is refused
 * @param kind why it is refused; FAILED if not stated
 * @param delay time before its next delivery; null for none
 * @param reason for the dead letter; null if unknown
 */
public record EventResult(String id, boolean ok, RefusalKind kind, Duration delay, String reason) {
  /** Longest line that is read as a result, in bytes. */
  public static final int LONGEST_LINE = 64 << 10;

  // Two results in one line are no result.
  private static final ObjectReader ONE_VALUE =
      Json.mapper().reader().with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  private static final int LONGEST_REASON = 2_000;

  /**
   * Reads a line; empty for one that is not a result, which is an ordinary line of output. Pure.
   */
  public static Optional<EventResult> parse(String line) {
    String text = line.strip();
    if (!text.startsWith("{") || !text.endsWith("}")) {
      return Optional.empty();
    }
    JsonNode fields;
    try {
      fields = ONE_VALUE.readTree(text);
    } catch (JsonProcessingException notJson) {
      return Optional.empty();
    }
    if (!fields.path("id").isTextual() || !fields.path("ok").isBoolean()) {
      return Optional.empty();
    }
    String reason = fields.path("reason").asText(null);
    return Optional.of(
        new EventResult(
            fields.path("id").asText(),
            fields.path("ok").asBoolean(),
            RefusalKind.RETURNED.name().equalsIgnoreCase(fields.path("kind").asText())
                ? RefusalKind.RETURNED
                : RefusalKind.FAILED,
            delay(fields.path("delay")),
            reason == null
                ? null
                : reason.substring(0, Math.min(LONGEST_REASON, reason.length()))));
  }

  // An answer with a delay that cannot be read is still an answer.
  private static Duration delay(JsonNode field) {
    try {
      return field.isTextual() ? Durations.parse(field.asText()) : null;
    } catch (RuntimeException notATime) {
      return null;
    }
  }
}
