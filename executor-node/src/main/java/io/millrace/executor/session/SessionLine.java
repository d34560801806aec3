package io.millrace.executor.session;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import io.millrace.api.Json;
import java.util.Optional;

/**
 * What the process of a session says of its events, as a line of its standard output: {@code
 * {"n":3,"ok":true}}, {@code {"n":3,"ok":false,"reason":"…"}}, or {@code {"n":3,"snapshot":…}}.
 *
 * @param n the event; with it, all before it
 * @param ok whether it is done
 * @param reason why it failed; null if unknown
 * @param snapshot the state after it; null for none
 */
record SessionLine(long n, boolean ok, String reason, JsonNode snapshot) {
  /** Longest line that is read as a result, in bytes. */
  static final int LONGEST = 1 << 20;

  // Two results in one line are no result.
  private static final ObjectReader ONE_VALUE =
      Json.mapper().reader().with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /** Reads a line; empty for one that is no result, which is an ordinary line of output. Pure. */
  static Optional<SessionLine> parse(String line) {
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
    JsonNode snapshot = fields.get("snapshot");
    if (!fields.path("n").isIntegralNumber()
        || !(fields.path("ok").isBoolean() || (snapshot != null && !fields.has("ok")))) {
      return Optional.empty();
    }
    return Optional.of(
        new SessionLine(
            fields.path("n").asLong(),
            fields.path("ok").asBoolean(true),
            fields.path("reason").asText(null),
            snapshot));
  }
}
