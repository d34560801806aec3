package io.millrace.queuenode.web;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.millrace.api.json.Json;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.queuenode.store.NewEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads events out of JSON text. Data is cut out of the text rather than parsed and written again,
 * so that no number is rounded and no text changed.
 */
final class EventReader {
  private static final int LONGEST_ID = 200;

  /**
   * An event as it was sent.
   *
   * @param id null when the producer gave none
   * @param data compact JSON text
   * @param attributes a JSON object of strings as text; null for none
   */
  record Draft(String id, String data, String attributes) {
    NewEvent event(String batch, int index) {
      return new NewEvent(
          id == null ? batch + "-" + index : id, data.getBytes(StandardCharsets.UTF_8), attributes);
    }
  }

  private final String text;
  // The line of the body that the text is; 0 when it is the whole body.
  private final int line;

  EventReader(String text, int line) {
    this.text = text;
    this.line = line;
  }

  /** The text's one value, or each element of its array. */
  List<Draft> values() {
    return read(
        parser -> {
          List<Draft> drafts = new ArrayList<>();
          if (parser.nextToken() == JsonToken.START_ARRAY) {
            while (parser.nextToken() != JsonToken.END_ARRAY) {
              drafts.add(new Draft(null, value(parser), null));
            }
          } else {
            drafts.add(new Draft(null, value(parser), null));
          }
          return drafts;
        });
  }

  /** The text's one value. */
  Draft value() {
    return read(
        parser -> {
          parser.nextToken();
          return new Draft(null, value(parser), null);
        });
  }

  /** The text's one envelope: an object with data, and perhaps an id and attributes. */
  Draft envelope() {
    return read(
        parser -> {
          if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw invalid("is an object with data, and perhaps id and attributes");
          }
          String id = null;
          String data = null;
          String attributes = null;
          while (parser.nextToken() != JsonToken.END_OBJECT) {
            String field = parser.currentName();
            parser.nextToken();
            switch (field) {
              case "id" -> id = id(parser);
              case "data" -> data = value(parser);
              case "attributes" -> attributes = attributes(parser);
              default -> parser.skipChildren();
            }
          }
          if (data == null) {
            throw invalid("has no data; send {\"data\": …} or the media type of plain lines");
          }
          return new Draft(id, data, attributes);
        });
  }

  private String id(JsonParser parser) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NULL) {
      return null;
    }
    String id = parser.currentToken() == JsonToken.VALUE_STRING ? parser.getText() : "";
    if (id.isBlank() || id.length() > LONGEST_ID) {
      throw invalid("has an id that is not a text of 1 to " + LONGEST_ID + " characters");
    }
    return id;
  }

  private String attributes(JsonParser parser) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NULL) {
      return null;
    }
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw invalid("has attributes that are not an object of texts");
    }
    Map<String, String> attributes = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      if (parser.nextToken() != JsonToken.VALUE_STRING) {
        throw invalid("has an attribute '" + name + "' that is not a text");
      }
      attributes.put(name, parser.getText());
    }
    String written = attributes.isEmpty() ? null : Json.write(attributes);
    if (written != null && written.length() > NewEvent.MAX_ATTRIBUTES) {
      throw invalid(
          "has more than " + NewEvent.MAX_ATTRIBUTES + " characters of attributes; use data");
    }
    return written;
  }

  /** The value that begins with the current token, cut out of the text. */
  private String value(JsonParser parser) throws IOException {
    if (parser.currentToken() == null) {
      throw malformed("nothing is there", 1, 1, null);
    }
    int from = (int) parser.currentTokenLocation().getCharOffset();
    parser.skipChildren();
    // A text is read lazily; only after its end is the location behind it.
    parser.finishToken();
    return JsonText.compact(text.substring(from, (int) parser.currentLocation().getCharOffset()));
  }

  private interface Body<T> {
    T read(JsonParser parser) throws IOException;
  }

  private <T> T read(Body<T> body) {
    try (JsonParser parser = Json.mapper().createParser(text)) {
      T result = body.read(parser);
      if (parser.nextToken() != null) {
        throw malformed(
            "more follows after the end of the value",
            parser.currentTokenLocation().getLineNr(),
            parser.currentTokenLocation().getColumnNr(),
            null);
      }
      return result;
    } catch (JsonProcessingException e) {
      int lineNumber = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
      int column = e.getLocation() == null ? 1 : e.getLocation().getColumnNr();
      throw malformed(e.getOriginalMessage(), lineNumber, column, e);
    } catch (IOException e) {
      throw new UncheckedIOException("text in memory was not readable", e);
    }
  }

  private MillraceException malformed(String words, int lineNumber, int column, Exception cause) {
    int number = line == 0 ? lineNumber : line;
    return new MillraceException(
        ErrorCode.MALFORMED_BODY,
        "line "
            + number
            + ", column "
            + column
            + " is not JSON: "
            + words
            + "; nothing of the batch was stored",
        cause);
  }

  private MillraceException invalid(String words) {
    return new MillraceException(
        ErrorCode.INVALID_REQUEST,
        "the event of line " + line + " " + words + "; nothing of the batch was stored");
  }
}
