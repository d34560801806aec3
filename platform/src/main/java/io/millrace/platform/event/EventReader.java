package io.millrace.platform.event;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.EventMedia;
import io.millrace.platform.event.EventBodies.BodyProblems;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads one event at the current position of a parser. Data is copied from the body rather than
 * parsed and written again, so that no number is rounded and no text changed. One thread at a time.
 */
final class EventReader {
  private static final int LONGEST_ID = 200;
  private static final Duration LONGEST_DELAY = EventDefaults.LONGEST_DELAY;

  private final byte[] body;
  private final JsonParser parser;
  private final EventDefaults defaults;

  EventReader(byte[] body, JsonParser parser, EventDefaults defaults) {
    this.body = body;
    this.parser = parser;
    this.defaults = defaults;
  }

  /** The value that begins with the current token, as an event's data. */
  SentEvent value(int index) throws IOException {
    return event(null, data(), SentAttributes.NONE, null, null, 0, index);
  }

  /** The envelope that begins with the current token: an object with data and optional fields. */
  SentEvent envelope(int index) throws IOException {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw invalid(
          "must be an object with data and optionally id, attributes, delay and priority");
    }
    String id = null;
    byte[] data = null;
    SentAttributes attributes = SentAttributes.NONE;
    long slotEpoch = 0;
    Long delay = null;
    Integer priority = null;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String field = parser.currentName();
      JsonToken token = parser.nextToken();
      boolean none = token == JsonToken.VALUE_NULL;
      switch (field) {
        case "id" -> id = none ? null : id();
        case "data" -> data = data();
        case "attributes" -> attributes = none ? SentAttributes.NONE : attributes();
        case "delay" -> delay = none ? null : delay();
        case "priority" -> priority = none ? null : priority();
        case "slotEpoch" -> slotEpoch = none ? 0 : slotEpoch();
        default -> parser.skipChildren();
      }
    }
    if (data == null) {
      throw invalid("has no data; send {\"data\": …} or the media type of plain lines");
    }
    return event(id, data, attributes, delay, priority, slotEpoch, index);
  }

  private SentEvent event(
      String id,
      byte[] data,
      SentAttributes attributes,
      Long delay,
      Integer priority,
      long slotEpoch,
      int index) {
    return new SentEvent(
        id == null ? defaults.id(index) : id,
        data,
        attributes.values(),
        attributes.text(),
        priority == null ? defaults.priority() : priority,
        delay == null ? defaults.delayMillis() : delay,
        slotEpoch);
  }

  private String id() throws IOException {
    String id = parser.currentToken() == JsonToken.VALUE_STRING ? parser.getText() : "";
    if (id.isBlank() || id.length() > LONGEST_ID) {
      throw invalid("has an id that is not a string of 1 to " + LONGEST_ID + " characters");
    }
    return id;
  }

  private SentAttributes attributes() throws IOException {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw invalid("has attributes that are not an object of strings");
    }
    Map<String, String> attributes = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      if (parser.nextToken() != JsonToken.VALUE_STRING) {
        throw invalid("has an attribute '" + name + "' that is not a string");
      }
      attributes.put(name, parser.getText());
    }
    if (attributes.isEmpty()) {
      return SentAttributes.NONE;
    }
    String written = Json.write(attributes);
    if (written.length() > SentEvent.MAX_ATTRIBUTES) {
      throw invalid(
          "has more than " + SentEvent.MAX_ATTRIBUTES + " characters of attributes; use data");
    }
    return new SentAttributes(attributes, written);
  }

  private long slotEpoch() throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
      try {
        long epoch = parser.getLongValue();
        if (epoch >= 0) {
          return epoch;
        }
      } catch (InputCoercionException e) {
        // Too large; reported below.
      }
    }
    throw invalid("has a slotEpoch that is not a whole number from 0");
  }

  private Long delay() throws IOException {
    try {
      Duration delay = Durations.parse(parser.getText());
      if (!delay.isNegative() && delay.compareTo(LONGEST_DELAY) <= 0) {
        return delay.toMillis();
      }
    } catch (IllegalArgumentException e) {
      // Reported below, with the bounds.
    }
    throw invalid(
        "has a delay that is not a string such as 10s, at most " + Durations.format(LONGEST_DELAY));
  }

  private Integer priority() throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
      long priority = parser.getLongValue();
      if (priority >= 0 && priority <= EventMedia.HIGHEST_PRIORITY) {
        return (int) priority;
      }
    }
    throw invalid("has a priority that is not a number from 0 to " + EventMedia.HIGHEST_PRIORITY);
  }

  private byte[] data() throws IOException {
    int from = (int) parser.currentTokenLocation().getByteOffset();
    parser.skipChildren();
    // A text is read lazily; only after its end the location is behind it.
    parser.finishToken();
    return JsonText.cut(body, from, (int) parser.currentLocation().getByteOffset());
  }

  private RuntimeException invalid(String problem) {
    return BodyProblems.invalid(parser.currentTokenLocation().getLineNr(), problem);
  }

  /** What accompanies the data; both null for nothing. */
  private record SentAttributes(Map<String, String> values, String text) {
    static final SentAttributes NONE = new SentAttributes(null, null);
  }

  /** JSON text as bytes of UTF-8: checks it, cuts values out of it. */
  static final class JsonText {
    private JsonText() {}

    /**
     * Rejects invalid UTF-8, which a parser need not detect in text that it skips.
     *
     * @throws MillraceException MALFORMED_BODY
     */
    static void requireUtf8(byte[] body) {
      for (byte b : body) {
        // Plain ASCII without zero bytes of a wider encoding: most bodies end here.
        if (b <= 0) {
          decode(body);
          return;
        }
      }
    }

    private static void decode(byte[] body) {
      String text;
      try {
        text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
      } catch (CharacterCodingException e) {
        throw notUtf8(e);
      }
      // A parser would take these for marks of other encodings.
      if (text.indexOf(0) >= 0 || text.startsWith("\ufeff")) {
        throw notUtf8(null);
      }
    }

    private static MillraceException notUtf8(Exception cause) {
      return new MillraceException(
          ErrorCode.MALFORMED_BODY,
          "the body is not valid UTF-8; nothing of the batch was stored",
          cause);
    }

    /**
     * A copy of a well-formed value on one line; values in it are not changed. White space is
     * removed only where there are line breaks.
     */
    static byte[] cut(byte[] body, int from, int to) {
      int end = to;
      // A parser may have read one character further.
      while (end > from && isSpace(body[end - 1])) {
        end--;
      }
      for (int i = from; i < end; i++) {
        if (body[i] == '\n' || body[i] == '\r') {
          return compact(body, from, end);
        }
      }
      return Arrays.copyOfRange(body, from, end);
    }

    private static byte[] compact(byte[] body, int from, int end) {
      ByteArrayOutputStream compact = new ByteArrayOutputStream(end - from);
      boolean inString = false;
      for (int i = from; i < end; i++) {
        byte b = body[i];
        if (!inString && isSpace(b)) {
          continue;
        }
        compact.write(b);
        if (b == '"') {
          inString = !inString;
        } else if (b == '\\' && inString) {
          // The escaped character can't end the string.
          i++;
          compact.write(body[i]);
        }
      }
      return compact.toByteArray();
    }

    private static boolean isSpace(byte b) {
      return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }
  }
}
