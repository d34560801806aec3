package io.millrace.manager.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Reads what people write, where {@link Json} reads what programs of any version send: a field that
 * nobody knows is a mistake, a number with a fraction is no whole number, a field that stands there
 * twice is one too many. Messages name the field. Thread-safe.
 */
final class StrictReader {
  private final JsonMapper mapper =
      Json.mapper()
          .rebuild()
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .build();

  /** The body as one value. */
  <T> T one(Context ctx, Class<T> type) {
    return read(ctx, "a " + type.getSimpleName(), body -> mapper.readValue(body, type));
  }

  /** The body as a list of values; messages about one name its index. */
  <T> List<T> many(Context ctx, Class<T> type) {
    JavaType list = mapper.getTypeFactory().constructCollectionType(List.class, type);
    return read(ctx, "a list of " + type.getSimpleName(), body -> mapper.readValue(body, list));
  }

  /** How one kind of body is read. */
  @FunctionalInterface
  private interface Reading<T> {
    T read(byte[] body) throws IOException;
  }

  private static <T> T read(Context ctx, String noun, Reading<T> reading) {
    byte[] body = ctx.bodyAsBytes();
    if (body.length == 0) {
      throw new MillraceException(ErrorCode.MALFORMED_BODY, "a JSON body is needed: " + noun);
    }
    T value;
    try {
      value = reading.read(body);
    } catch (UnrecognizedPropertyException e) {
      throw refuse(place(e, e.getPath().size() - 1) + unknown(e), e);
    } catch (JsonMappingException e) {
      // Jackson puts broken JSON within a value into the same exception as a wrong value.
      throw e.getCause() instanceof StreamReadException broken
          ? malformed(broken)
          : refuse(place(e, e.getPath().size()) + reason(e), e);
    } catch (JsonProcessingException e) {
      throw malformed(e);
    } catch (IOException e) {
      throw new MillraceException(ErrorCode.MALFORMED_BODY, e.getMessage(), e);
    }
    if (value == null) {
      throw new MillraceException(
          ErrorCode.MALFORMED_BODY, "null is not " + noun + "; send a JSON value");
    }
    return value;
  }

  private static String unknown(UnrecognizedPropertyException e) {
    String name = e.getPropertyName();
    Collection<String> known =
        e.getKnownPropertyIds() == null
            ? List.of()
            : e.getKnownPropertyIds().stream()
                .map(Object::toString)
                .collect(Collectors.toCollection(TreeSet::new));
    String words = name + ": there is no such field";
    Optional<String> near =
        known.stream()
            .filter(one -> distance(one, name) <= Math.max(1, name.length() / 3))
            .min(Comparator.comparingInt(one -> distance(one, name)));
    return near.isPresent()
        ? words + "; did you mean " + near.get() + "?"
        : words + "; use one of " + String.join(", ", known);
  }

  // What a record or a type of ours says about a value is the best that can be said.
  private static String reason(JsonMappingException e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof MillraceException || cause instanceof IllegalArgumentException) {
        return cause.getMessage();
      }
    }
    if (e instanceof InvalidFormatException format) {
      return "'" + format.getValue() + "' is no " + kind(format.getTargetType());
    }
    if (e instanceof MismatchedInputException mismatched && mismatched.getTargetType() != null) {
      return "use " + kind(mismatched.getTargetType()) + where(e);
    }
    return e.getOriginalMessage() + where(e);
  }

  private static String kind(Class<?> type) {
    if (type.isEnum()) {
      return "one of "
          + List.of(type.getEnumConstants()).stream()
              .map(Object::toString)
              .collect(Collectors.joining(", "));
    }
    if (Collection.class.isAssignableFrom(type)) {
      return "list such as [\"a\", \"b\"]";
    }
    if (Map.class.isAssignableFrom(type)) {
      return "object such as {\"a\": \"b\"}";
    }
    return switch (type.getSimpleName()) {
      case "int", "Integer", "long", "Long" -> "whole number";
      case "double", "Double" -> "number";
      case "boolean", "Boolean" -> "true or false";
      case "String" -> "text";
      case "Duration" -> "duration such as 30s, 5m or PT1H";
      case "Instant" -> "time such as 2030-01-31T12:00:00Z";
      case "DataSize" -> "size such as 512MB";
      default -> type.getSimpleName();
    };
  }

  private static String place(JsonMappingException e, int depth) {
    StringBuilder place = new StringBuilder();
    for (Reference step : e.getPath().subList(0, Math.max(0, depth))) {
      if (step.getFieldName() == null) {
        place.append('[').append(step.getIndex()).append(']');
      } else {
        boolean within = !place.isEmpty() && place.charAt(place.length() - 1) != ']';
        place.append(within ? "." : place.isEmpty() ? "" : " ").append(step.getFieldName());
      }
    }
    if (place.isEmpty()) {
      return "";
    }
    boolean element = place.charAt(place.length() - 1) == ']';
    return place + (element ? " " : ": ");
  }

  private static String where(JsonProcessingException e) {
    return e.getLocation() == null
        ? ""
        : " (line "
            + e.getLocation().getLineNr()
            + ", column "
            + e.getLocation().getColumnNr()
            + ")";
  }

  private static MillraceException malformed(JsonProcessingException e) {
    return new MillraceException(
        ErrorCode.MALFORMED_BODY, "not readable as JSON: " + e.getOriginalMessage() + where(e), e);
  }

  private static MillraceException refuse(String words, Exception cause) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, words, cause);
  }

  /** Letters to add, drop or change to make one of the other. */
  static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int same =
            Character.toLowerCase(one.charAt(i - 1)) == Character.toLowerCase(other.charAt(j - 1))
                ? diagonal
                : diagonal + 1;
        diagonal = row[j];
        row[j] = Math.min(same, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[other.length()];
  }
}
