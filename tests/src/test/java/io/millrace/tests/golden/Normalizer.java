package io.millrace.tests.golden;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.millrace.api.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Replaces what differs between runs (times, ports, random ids, tokens, measured values, this
 * machine's sizes) by a placeholder that names the type, and leaves everything else unchanged.
 */
final class Normalizer {
  private static final DefaultPrettyPrinter PRETTY =
      new DefaultPrettyPrinter()
          .withObjectIndenter(new DefaultIndenter("  ", "\n"))
          .withArrayIndenter(new DefaultIndenter("  ", "\n"));

  private final Set<String> measured = new HashSet<>();
  private final Set<String> texts = new HashSet<>();
  private final Set<String> sets = new HashSet<>();
  private static final Pattern WORDS =
      Pattern.compile(
          "\\b\\d+(\\.\\d+)?((ms|s|m|h|d)( ?\\d+(ms|s|m|h))*|B|KB|MB|GB)\\b"
              + "|(?:<|\\b)\\d+\\.\\d+\\b");

  private final Map<Pattern, String> replacements = new LinkedHashMap<>();

  Normalizer() {
    replace("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)", "<time>");
    replace("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(\\.\\d+)?", "<time>");
    replace("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uuid>");
    replace("eyJ[\\w-]+\\.[\\w-]+\\.[\\w-]+", "<token>");
    replace("127\\.0\\.0\\.1:\\d+", "127.0.0.1:<port>");
    replace("localhost:\\d+", "localhost:<port>");
    // Depends on the JDK and on whether the classes come from a package.
    replace(
        "(?<=millrace )(unpackaged|\\d+\\.\\d+[\\w.-]*) \\(Java [^)]*\\)",
        "<version> (Java <version>)");
    // The direction of a clock's measured offset is as accidental as its size.
    replace(
        "(?m)(?<=^  clock {1,20})(in step with|\\d\\S* (behind|ahead of)) the database$",
        "<clock offset>");
    replace("^(unpackaged|\\d+\\.\\d+\\.\\d+-SNAPSHOT|(1[7-9]|2\\d)\\.\\d+\\.\\d+)$", "<version>");
  }

  /** Adds a replacement, applied before the general ones. */
  Normalizer literal(String text, String placeholder) {
    return replace(Pattern.quote(text), placeholder);
  }

  Normalizer replace(String pattern, String placeholder) {
    replacements.put(Pattern.compile(pattern), placeholder);
    return this;
  }

  /** Fields with numbers that are measured or depend on this machine. */
  Normalizer measured(String... fields) {
    measured.addAll(List.of(fields));
    return this;
  }

  /** Fields with texts that depend on this machine. */
  Normalizer texts(String... fields) {
    texts.addAll(List.of(fields));
    return this;
  }

  /** Times and amounts as formatted for people; their raw values are in the JSON. */
  String words(String text) {
    return WORDS.matcher(line(text)).replaceAll("<amount>");
  }

  /** Fields with unordered lists. */
  Normalizer sets(String... fields) {
    sets.addAll(List.of(fields));
    return this;
  }

  String line(String text) {
    String line = text;
    for (Map.Entry<Pattern, String> one : replacements.entrySet()) {
      line = one.getKey().matcher(line).replaceAll(one.getValue());
    }
    return line;
  }

  /** A body: pretty-printed with sorted fields if it is JSON or JSON lines. */
  String body(String type, String body) {
    if (type != null && type.contains("ndjson")) {
      return body.lines().map(one -> oneLine(one)).collect(Collectors.joining("\n"));
    }
    JsonNode json = read(body);
    return json == null ? line(body) : pretty(normal(json, ""));
  }

  /** Only names and types of the fields; of a list its first member. */
  String shape(String body) {
    JsonNode json = read(body);
    return json == null ? line(body) : pretty(shape(json));
  }

  private String oneLine(String json) {
    JsonNode read = read(json);
    return read == null ? line(json) : normal(read, "").toString();
  }

  private static JsonNode read(String text) {
    String start = text.stripLeading();
    if (!start.startsWith("{") && !start.startsWith("[")) {
      return null;
    }
    try {
      return Json.mapper().readTree(text);
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  private static String pretty(JsonNode json) {
    try {
      return Json.mapper().writer(PRETTY).writeValueAsString(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private JsonNode normal(JsonNode json, String field) {
    if (json.isObject()) {
      // Maps have no defined order.
      ObjectNode sorted = JsonNodeFactory.instance.objectNode();
      Map<String, JsonNode> fields = new TreeMap<>();
      json.properties().forEach(one -> fields.put(line(one.getKey()), one.getValue()));
      fields.forEach((name, value) -> sorted.set(name, normal(value, name)));
      return sorted;
    }
    if (json.isArray()) {
      ArrayNode list = JsonNodeFactory.instance.arrayNode();
      if (isMeasured(field) && !json.isEmpty()) {
        return list.add(type(json.get(0)));
      }
      json.forEach(one -> list.add(normal(one, field)));
      return sets.contains(field) ? sorted(list) : list;
    }
    if (json.isTextual()) {
      return texts.contains(field) ? type(json) : new TextNode(line(json.textValue()));
    }
    // The polls of a stream have numbers from a random one on.
    // Stored bytes are exact, bytes per second are measured.
    boolean random = field.equals("poll") && json.longValue() >= 1L << 40;
    boolean rate = field.equals("bytes") && json.isFloatingPointNumber();
    return json.isNumber() && (random || rate || isMeasured(field)) ? type(json) : json;
  }

  private boolean isMeasured(String field) {
    return measured.contains(field) || field.endsWith("Seconds") || field.endsWith("Rate");
  }

  private static ArrayNode sorted(ArrayNode list) {
    List<JsonNode> members = new ArrayList<>();
    list.forEach(members::add);
    members.sort(Comparator.comparing(JsonNode::toString));
    return JsonNodeFactory.instance.arrayNode().addAll(members);
  }

  private JsonNode shape(JsonNode json) {
    if (json.isObject()) {
      ObjectNode sorted = JsonNodeFactory.instance.objectNode();
      Map<String, JsonNode> fields = new TreeMap<>();
      json.properties().forEach(one -> fields.put(line(one.getKey()), one.getValue()));
      fields.forEach((name, value) -> sorted.set(name, shape(value)));
      return sorted;
    }
    if (json.isArray()) {
      return together(json);
    }
    return type(json);
  }

  /** One member with the fields of all members, because unknown fields are omitted. */
  private JsonNode together(JsonNode list) {
    ArrayNode one = JsonNodeFactory.instance.arrayNode();
    if (list.isEmpty() || !list.get(0).isObject()) {
      return list.isEmpty() ? one : one.add(shape(list.get(0)));
    }
    ObjectNode fields = JsonNodeFactory.instance.objectNode();
    for (JsonNode member : list) {
      member
          .properties()
          .forEach(
              field -> {
                JsonNode known = fields.get(field.getKey());
                if (known == null || known.isContainerNode() && known.isEmpty()) {
                  fields.set(field.getKey(), field.getValue());
                }
              });
    }
    return one.add(shape(fields));
  }

  private static JsonNode type(JsonNode json) {
    if (json.isNull()) {
      return json;
    }
    String name =
        json.isIntegralNumber()
            ? "integer"
            : json.isNumber() ? "decimal" : json.isBoolean() ? "boolean" : "text";
    return new TextNode("<" + name + ">");
  }
}
