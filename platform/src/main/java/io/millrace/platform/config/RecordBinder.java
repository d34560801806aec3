package io.millrace.platform.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.millrace.api.DataSize;
import io.millrace.api.Durations;
import io.millrace.platform.config.ConfigurationLoader.FileFindings;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Binds nodes of a document to records. Gives null where it has noted a problem, and goes on with
 * the rest. One thread only.
 */
final class RecordBinder {

  private final FileFindings findings;
  private final ScalarReader scalars;

  RecordBinder(FileFindings findings, Path folder) {
    this.findings = findings;
    scalars = new ScalarReader(findings, folder);
  }

  /**
   * Reads one record.
   *
   * @param base where absent keys take their values from; null for the record's own defaults
   */
  <R extends Record> R read(JsonNode node, String path, Class<R> type, Record base) {
    if (!node.isObject()) {
      findings.add(path, "expected a section with keys, found " + node.getNodeType());
      return null;
    }
    int before = findings.count();
    Record defaults = base == null ? Records.defaults(type) : base;
    RecordComponent[] components = type.getRecordComponents();
    refuseUnknown(node, path, components);
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      values[i] = component(node, path, components[i], defaults);
    }
    if (findings.count() > before) {
      return null;
    }
    return construct(type, values, path);
  }

  private void refuseUnknown(JsonNode node, String path, RecordComponent[] components) {
    Set<String> known = new LinkedHashSet<>();
    Arrays.stream(components).map(RecordComponent::getName).forEach(known::add);
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      if (!known.contains(entry.getKey())) {
        String hint =
            NearestName.of(entry.getKey(), known)
                .map(near -> "did you mean '" + near + "'?")
                .orElse("known here: " + String.join(", ", known));
        findings.add(join(path, entry.getKey()), "unknown key; " + hint);
      }
    }
  }

  private Object component(JsonNode node, String path, RecordComponent component, Record defaults) {
    String here = join(path, component.getName());
    JsonNode child = node.get(component.getName());
    boolean absent = child == null || child.isNull();
    Object fallback = defaults == null ? null : Records.value(component, defaults);
    if (absent && fallback != null) {
      return fallback;
    }
    if (component.getType().isRecord() && !scalars.reads(component.getType())) {
      JsonNode section = absent ? JsonNodeFactory.instance.objectNode() : child;
      return read(section, here, component.getType().asSubclass(Record.class), (Record) fallback);
    }
    if (!absent) {
      return value(child, here, component.getGenericType());
    }
    if (component.getType() == Optional.class) {
      return Optional.empty();
    }
    findings.add(here, "missing; this key has no default and must be given");
    return null;
  }

  private Object value(JsonNode node, String path, Type type) {
    if (type instanceof ParameterizedType generic) {
      Type[] arguments = generic.getActualTypeArguments();
      if (generic.getRawType() == Optional.class) {
        return Optional.ofNullable(value(node, path, arguments[0]));
      }
      if (generic.getRawType() == List.class) {
        return list(node, path, arguments[0]);
      }
      if (generic.getRawType() == Map.class && arguments[0] == String.class) {
        return map(node, path, arguments[1]);
      }
    }
    if (type instanceof Class<?> plain) {
      if (plain.isRecord() && !scalars.reads(plain)) {
        return read(node, path, plain.asSubclass(Record.class), null);
      }
      return scalars.read(node, path, plain);
    }
    throw new IllegalArgumentException(path + ": configuration records can't hold " + type);
  }

  private List<Object> list(JsonNode node, String path, Type element) {
    if (!node.isArray()) {
      findings.add(path, "expected a list; write '- value' lines or [a, b]");
      return null;
    }
    int before = findings.count();
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < node.size(); i++) {
      values.add(value(node.get(i), path + "[" + i + "]", element));
    }
    return findings.count() > before ? null : List.copyOf(values);
  }

  private Map<String, Object> map(JsonNode node, String path, Type element) {
    if (!node.isObject()) {
      findings.add(path, "expected a section of 'name: value' lines");
      return null;
    }
    Map<String, Object> values = new LinkedHashMap<>();
    node.properties()
        .forEach(
            entry ->
                values.put(
                    entry.getKey(), value(entry.getValue(), join(path, entry.getKey()), element)));
    return values;
  }

  private <R extends Record> R construct(Class<R> type, Object[] values, String path) {
    try {
      return Records.construct(type, values);
    } catch (InvocationTargetException refused) {
      findings.add(path, String.valueOf(refused.getCause().getMessage()));
      return null;
    }
  }

  private static String join(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  /**
   * Reads single values; notes a problem and gives null for what it can't read. One thread only.
   */
  private static final class ScalarReader {

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
        return node.isBoolean()
            ? node.booleanValue()
            : refuse(path, "expected true or false", node);
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
}
