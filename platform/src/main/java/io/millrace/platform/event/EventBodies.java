package io.millrace.platform.event;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.EventMedia;
import io.millrace.platform.event.EventReader.JsonText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Parses bodies of {@link EventMedia} into events, all of a batch or none, in one pass over the
 * bytes.
 */
public final class EventBodies {
  /** The most events of one batch. */
  public static final int MAX_EVENTS = 10_000;

  private final byte[] body;
  private final JsonParser parser;
  private final EventReader reader;
  private final List<SentEvent> events = new ArrayList<>();
  // Events beyond the limit are counted for the message, but not kept.
  private int count;

  private EventBodies(byte[] body, JsonParser parser, EventDefaults defaults) {
    this.body = body;
    this.parser = parser;
    this.reader = new EventReader(body, parser, defaults);
  }

  /**
   * The events of a body.
   *
   * @param contentType as received; null means JSON
   * @param defaults for events without their own values
   * @throws MillraceException MALFORMED_BODY, INVALID_REQUEST, UNSUPPORTED_MEDIA_TYPE or
   *     BODY_TOO_LARGE
   */
  public static List<SentEvent> read(String contentType, byte[] body, EventDefaults defaults) {
    String mediaType = mediaType(contentType);
    JsonText.requireUtf8(body);
    try (JsonParser parser = Json.mapper().createParser(body)) {
      return new EventBodies(body, parser, defaults).read(mediaType);
    } catch (JsonProcessingException e) {
      throw BodyProblems.malformed(e);
    } catch (IOException e) {
      throw new UncheckedIOException("bytes in memory were not readable", e);
    }
  }

  private static String mediaType(String contentType) {
    if (contentType == null || contentType.isBlank()) {
      return EventMedia.JSON;
    }
    int parameters = contentType.indexOf(';');
    String type = parameters < 0 ? contentType : contentType.substring(0, parameters);
    return type.strip().toLowerCase(Locale.ROOT);
  }

  private List<SentEvent> read(String mediaType) throws IOException {
    switch (mediaType) {
      case EventMedia.JSON -> readWhole();
      case EventMedia.LINES -> readLines(reader::value);
      case EventMedia.ENVELOPES -> readLines(reader::envelope);
      default ->
          throw new MillraceException(
              ErrorCode.UNSUPPORTED_MEDIA_TYPE,
              "events come as "
                  + EventMedia.JSON
                  + " (one, or an array), "
                  + EventMedia.LINES
                  + " (one on each line) or "
                  + EventMedia.ENVELOPES
                  + " (with id, attributes, delay and priority), not as "
                  + mediaType);
    }
    if (count == 0) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "the batch contains no events; send at least one");
    }
    if (count > MAX_EVENTS) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "the batch holds " + count + " events; send at most " + MAX_EVENTS + " in a batch");
    }
    return events;
  }

  /** The body's one value, or each element of its array. */
  private void readWhole() throws IOException {
    JsonToken first = parser.nextToken();
    if (first == null) {
      throw BodyProblems.malformed("the body is empty", JsonLocation.NA, null);
    }
    if (first == JsonToken.START_ARRAY) {
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        add(reader::value);
      }
    } else {
      add(reader::value);
    }
    if (parser.nextToken() != null) {
      throw more();
    }
  }

  private interface Reading {
    SentEvent event(int index) throws IOException;
  }

  /** One value on each line; blank lines hold none. */
  private void readLines(Reading reading) throws IOException {
    int lastEnd = 0;
    while (parser.nextToken() != null) {
      int begin = (int) parser.currentTokenLocation().getByteOffset();
      if (count > 0 && !lineFeedIn(lastEnd, begin)) {
        throw more();
      }
      JsonLocation start = parser.currentTokenLocation();
      addLine(reading, start);
      lastEnd = endOfValue();
      if (lineFeedIn(begin, lastEnd)) {
        throw brokenOff(start, null);
      }
    }
  }

  /** A value that is not closed on its line includes the next ones; the error is where it began. */
  private void addLine(Reading reading, JsonLocation start) throws IOException {
    try {
      add(reading);
    } catch (JsonProcessingException e) {
      boolean beyond = e.getLocation() != null && e.getLocation().getLineNr() > start.getLineNr();
      throw beyond ? brokenOff(start, e) : BodyProblems.malformed(e);
    }
  }

  private static MillraceException brokenOff(JsonLocation start, Exception cause) {
    return BodyProblems.malformed(
        "the line ends within a value; send each event on one line", start, cause);
  }

  /** The end of the value just read; a parser may have read the white space after a number. */
  private int endOfValue() {
    int end = (int) parser.currentLocation().getByteOffset();
    while (end > 0 && Character.isWhitespace(body[end - 1])) {
      end--;
    }
    return end;
  }

  private boolean lineFeedIn(int from, int end) {
    for (int i = from; i < end; i++) {
      if (body[i] == '\n') {
        return true;
      }
    }
    return false;
  }

  private void add(Reading reading) throws IOException {
    if (count >= MAX_EVENTS) {
      count++;
      parser.skipChildren();
      parser.finishToken();
      return;
    }
    SentEvent event = reading.event(count);
    count++;
    if (event.data().length > SentEvent.MAX_DATA) {
      throw new MillraceException(
          ErrorCode.BODY_TOO_LARGE,
          "event "
              + count
              + " of the batch has "
              + event.data().length
              + " bytes of data; at most "
              + SentEvent.MAX_DATA
              + " are allowed: store large data elsewhere and send a reference to it");
    }
    events.add(event);
  }

  private MillraceException more() {
    return BodyProblems.malformed(
        "there is more text after the end of the value", parser.currentTokenLocation(), null);
  }

  /** Errors of a body of events, with their position. */
  static final class BodyProblems {
    private BodyProblems() {}

    static MillraceException malformed(JsonProcessingException failure) {
      JsonLocation place = failure.getLocation() == null ? JsonLocation.NA : failure.getLocation();
      return malformed(Json.syntax(failure), place, failure);
    }

    static MillraceException malformed(String problem, JsonLocation place, Exception cause) {
      return new MillraceException(
          ErrorCode.MALFORMED_BODY,
          "line "
              + Math.max(1, place.getLineNr())
              + ", column "
              + Math.max(1, place.getColumnNr())
              + " is not JSON: "
              + problem
              + "; nothing of the batch was stored",
          cause);
    }

    static MillraceException invalid(int line, String problem) {
      return new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "the event of line " + line + " " + problem + "; nothing of the batch was stored");
    }
  }
}
