package io.millrace.platform.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.DataSize;
import io.millrace.api.Durations;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Reads single values; notes a problem and gives null for what it can't read. One thread only. */
final class ScalarReader {

  private static final Set<Class<?>> NUMBERS =
      Set.of(int.class, Integer.class, long.class, Long.class);
  private static final Set<Class<?>> FRACTIONS = Set.of(double.class, Double.class);
  private static final Set<Class<?>> SWITCHES = Set.of(boolean.class, Boolean.class);

  private final FileFindings findings;
  private final Map<Class<?>, Function<String, ?>> texts;

  ScalarReader(FileFindings findings, Path folder) {
    this.findings = findings;
    texts =
        Map.of(
            String.class, text -> text,
            Duration.class, Durations::parse,
            DataSize.class, DataSize::parse,
            Path.class, text -> folder.resolve(text).normalize(),
            URI.class, URI::create);
  }

  /** Whether this type is a single value, although it may be a record. */
  boolean reads(Class<?> type) {
    return texts.containsKey(type);
  }

  Object read(JsonNode node, String path, Class<?> type) {
    if (NUMBERS.contains(type)) {
      return whole(node, path, type == int.class || type == Integer.class);
    }
    if (FRACTIONS.contains(type)) {
      return node.isNumber() ? node.doubleValue() : refuse(path, "expected a number", node);
    }
    if (SWITCHES.contains(type)) {
      return node.isBoolean() ? node.booleanValue() : refuse(path, "expected true or false", node);
    }
    if (type.isEnum()) {
      return constant(node, path, type);
    }
    Function<String, ?> reader = texts.get(type);
    if (reader == null) {
      throw new IllegalArgumentException(path + ": configuration records can't hold " + type);
    }
    return text(node, path, type, reader);
  }

  private Object whole(JsonNode node, String path, boolean narrow) {
    if (!node.isIntegralNumber() || !node.canConvertToLong()) {
      return refuse(path, "expected a whole number", node);
    }
    if (!narrow) {
      return node.longValue();
    }
    return node.canConvertToInt()
        ? (Object) node.intValue()
        : refuse(path, "expected a whole number below 2147483648", node);
  }

  private Object text(JsonNode node, String path, Class<?> type, Function<String, ?> reader) {
    // YAML has read 0644 or 1e3 as a number and its text is lost; only quantities may do without
    // quotes.
    boolean bare = node.isIntegralNumber() && (type == DataSize.class || type == Duration.class);
    if (!node.isTextual() && !bare) {
      return refuse(path, "expected a text; put it in quotes", node);
    }
    try {
      return reader.apply(node.asText());
    } catch (IllegalArgumentException | ArithmeticException unreadable) {
      findings.add(path, unreadable.getMessage());
      return null;
    }
  }

  private Object constant(JsonNode node, String path, Class<?> type) {
    for (Object constant : type.getEnumConstants()) {
      if (constant.toString().equalsIgnoreCase(node.asText())) {
        return constant;
      }
    }
    List<String> names =
        Arrays.stream(type.getEnumConstants())
            .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
            .toList();
    return refuse(path, "expected one of " + String.join(", ", names), node);
  }

  private Object refuse(String path, String expected, JsonNode node) {
    findings.add(path, expected + ", found " + node);
    return null;
  }
}
