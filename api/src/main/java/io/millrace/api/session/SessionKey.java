package io.millrace.api.session;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.filter.FilteringParserDelegate;
import com.fasterxml.jackson.core.filter.JsonPointerBasedFilter;
import com.fasterxml.jackson.core.filter.TokenFilter.Inclusion;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * Where the key of an event is found: in an attribute, or at a place in its data. Thread-safe;
 * never blocks.
 */
public final class SessionKey {
  /** The most characters of a key. */
  public static final int LONGEST = 250;

  private static final Pattern ATTRIBUTE = Pattern.compile("[^/~\\s$\\[\\]]+");
  private static final Pattern WRONG_ESCAPE = Pattern.compile("~(?![01])");

  private final String expression;
  // Null for an attribute.
  private final JsonPointer pointer;

  private SessionKey(String expression, JsonPointer pointer) {
    this.expression = expression;
    this.pointer = pointer;
  }

  /**
   * Reads the place of a key.
   *
   * @param expression an attribute's name, or a JSON pointer into the data, which begins with a
   *     slash
   * @throws MillraceException INVALID_DEFINITION if it is neither
   */
  public static SessionKey at(String expression) {
    if (expression == null || expression.isBlank() || expression.length() > LONGEST) {
      throw new MillraceException(
          ErrorCode.INVALID_DEFINITION,
          "sessions.key is missing: write the name of an attribute, or a JSON pointer into the"
              + " data such as /orderId");
    }
    if (!expression.startsWith("/")) {
      require(
          ATTRIBUTE.matcher(expression).matches(),
          "sessions.key: '%s' is not the name of an attribute; did you mean '/%s', a place in the data?"
              .formatted(expression, expression));
      return new SessionKey(expression, null);
    }
    require(
        !WRONG_ESCAPE.matcher(expression).find(),
        "sessions.key: '%s' is not a JSON pointer: after ~ it must have 0, for ~ itself, or 1, for a slash"
            .formatted(expression));
    return new SessionKey(expression, JsonPointer.compile(expression));
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
    }
  }

  /**
   * The key of an event.
   *
   * @param attributes as sent; null for none
   * @param data JSON text in UTF-8
   * @throws MillraceException INVALID_REQUEST if there is none, or it is no key: a text or a whole
   *     number of 1 to 250 characters, without control characters and halves of surrogate pairs
   */
  public String of(Map<String, String> attributes, byte[] data) {
    String key = pointer == null ? attribute(attributes) : inData(data);
    if (key == null || key.isBlank()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "the event has no key: "
              + (pointer == null
                  ? "the attribute '" + expression + "' is missing or empty"
                  : expression + " is missing, empty, or not a text or whole number"));
    }
    SessionText.require("the event's key", key, LONGEST);
    return key;
  }

  private String attribute(Map<String, String> attributes) {
    return attributes == null ? null : attributes.get(expression);
  }

  private String inData(byte[] data) {
    try (JsonParser parser =
        new FilteringParserDelegate(
            Json.mapper().createParser(data),
            new JsonPointerBasedFilter(pointer),
            Inclusion.ONLY_INCLUDE_ALL,
            false)) {
      JsonToken token = parser.nextToken();
      return token == JsonToken.VALUE_STRING || token == JsonToken.VALUE_NUMBER_INT
          ? parser.getText()
          : null;
    } catch (IOException unreadable) {
      return null;
    }
  }

  /** The slot of a key, 0 to 999; part of what servers of different versions agree on. */
  public static int slot(String key) {
    CRC32C hash = new CRC32C();
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    hash.update(bytes, 0, bytes.length);
    return (int) (hash.getValue() % SlotTable.SLOTS);
  }

  /** As it is written in a definition. */
  @Override
  public String toString() {
    return expression;
  }
}
