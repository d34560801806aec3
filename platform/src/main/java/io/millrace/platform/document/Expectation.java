package io.millrace.platform.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.api.DataSize;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Describes what was expected of a value and what was found, for messages. Pure. */
final class Expectation {
  static final String LIST = "expected a list such as [a, b], ";
  static final String OBJECT = "expected an object (keys with values), ";

  private static final int LONGEST_SHOWN = 60;
  private static final String INTEGER = "a whole number";
  private static final Map<Class<?>, String> EXPECTED =
      Map.ofEntries(
          Map.entry(int.class, INTEGER),
          Map.entry(Integer.class, INTEGER),
          Map.entry(long.class, INTEGER),
          Map.entry(Long.class, INTEGER),
          Map.entry(double.class, "a number"),
          Map.entry(Double.class, "a number"),
          Map.entry(boolean.class, "true or false"),
          Map.entry(Boolean.class, "true or false"),
          Map.entry(String.class, "a string"),
          Map.entry(Duration.class, "a duration such as 30s, 5m or PT1H"),
          Map.entry(DataSize.class, "a size such as 512MB or 2GB"),
          Map.entry(Instant.class, "a time such as 2030-01-31T12:00:00Z"),
          Map.entry(LocalTime.class, "a time of day such as 02:00 or 23:30"));

  private Expectation() {}

  /**
   * What is wrong with a single value, for instance {@code expected a number, found "x"}.
   *
   * @param mapper by whose rules the names of enums are read
   */
  static String of(Class<?> type, JsonNode found, JsonMapper mapper) {
    return "expected " + expected(type, found, mapper) + ", " + found(found);
  }

  private static String expected(Class<?> type, JsonNode found, JsonMapper mapper) {
    if (type.isEnum()) {
      boolean anyCase = mapper.isEnabled(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS);
      return "one of "
          + Arrays.stream(type.getEnumConstants())
              .map(Object::toString)
              .map(name -> anyCase ? name.toLowerCase(Locale.ROOT) : name)
              .collect(Collectors.joining(", "));
    }
    String expected = EXPECTED.getOrDefault(type, "another value");
    boolean tooLarge = expected.equals(INTEGER) && found.asText().matches("[-+]?\\d+");
    return expected + (tooLarge ? " below " + limit(type) : "");
  }

  private static String limit(Class<?> type) {
    return type == int.class || type == Integer.class ? "2147483648" : "9223372036854775808";
  }

  /** What was found, cut if it is long. */
  static String found(JsonNode node) {
    if (node.isContainerNode()) {
      return node.isArray() ? "found a list" : "found an object";
    }
    return "found " + shortened(node.toString(), LONGEST_SHOWN);
  }

  static String shortened(String text, int longest) {
    return text.length() <= longest ? text : text.substring(0, longest) + "...";
  }
}
