package io.millrace.manager.definition;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import io.millrace.api.Durations;
import io.millrace.api.Json;
import java.time.Duration;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The YAML form that a field wants, and what to say about another one. */
enum FieldForm {
  SCALAR("one value"),
  LIST("a list"),
  KEYS("keys with values");

  private final String words;

  FieldForm(String words) {
    this.words = words;
  }

  static FieldForm of(JavaType type) {
    if (type.isCollectionLikeType()) {
      return LIST;
    }
    return type.isMapLikeType() || isPlainRecord(type) ? KEYS : SCALAR;
  }

  /** A record that is written field by field, and not as one word, as a range or a size is. */
  static boolean isPlainRecord(JavaType type) {
    return type.getRawClass().isRecord()
        && Json.mapper().getSerializationConfig().introspect(type).findJsonValueAccessor() == null;
  }

  private static FieldForm of(JsonNode value) {
    if (value.isArray()) {
      return LIST;
    }
    return value.isObject() ? KEYS : SCALAR;
  }

  /** What is wrong with the value's form; empty when nothing is. */
  Optional<String> mismatch(JsonNode value) {
    FieldForm found = of(value);
    return found == this
        ? Optional.empty()
        : Optional.of("wants " + words + ", not " + found.words);
  }

  /** What a refusal of Jackson means to an operator. */
  static String words(JsonProcessingException refusal, JsonNode value) {
    if (refusal instanceof InvalidFormatException time
        && LocalTime.class.equals(time.getTargetType())) {
      return wrongScalar(String.valueOf(time.getValue()), LocalTime.class);
    }
    Throwable cause = refusal.getCause();
    if (cause != null && !(cause instanceof JsonProcessingException)) {
      return cause.getMessage();
    }
    if (refusal instanceof InvalidFormatException format) {
      return wrongScalar(String.valueOf(format.getValue()), format.getTargetType());
    }
    return "'" + value.asText() + "' cannot be read: " + refusal.getOriginalMessage();
  }

  private static String wrongScalar(String text, Class<?> wanted) {
    if (wanted.equals(Duration.class)) {
      try {
        Durations.parse(text);
      } catch (IllegalArgumentException e) {
        return e.getMessage();
      }
    }
    if (wanted.equals(boolean.class) || wanted.equals(Boolean.class)) {
      return "'" + text + "' is neither true nor false";
    }
    if (wanted.equals(LocalTime.class)) {
      return "'" + text + "' is no time of day; write one such as 02:00 or 23:30";
    }
    if (wanted.isEnum()) {
      return "'" + text + "' is none of " + words(wanted);
    }
    return "'" + text + "' is not a whole number in range";
  }

  private static String words(Class<?> choice) {
    return Arrays.stream(choice.getEnumConstants())
        .map(one -> one.toString().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(", "));
  }
}
