package io.millrace.manager.definition;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.definition.ApplyRequest.LabelSelector;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/**
 * The labels of a definition of any kind, by which {@code apply --prune} selects what it deletes.
 * They are stored with the definition's fields and belong to no kind's record. Pure.
 */
final class DefinitionLabels {
  /** The key in a definition. */
  static final String KEY = "labels";

  private static final int MAX = 20;
  private static final int LONGEST_VALUE = 100;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,60}");

  private DefinitionLabels() {}

  /**
   * Reads labels as written.
   *
   * @param problems receives the field and what is wrong with it
   */
  static Map<String, String> read(JsonNode written, BiConsumer<String, String> problems) {
    Map<String, String> labels = new TreeMap<>();
    if (written == null || written.isNull()) {
      return labels;
    }
    if (!written.isObject()) {
      problems.accept(KEY, "expected a mapping of names to texts, such as {team: billing}");
      return labels;
    }
    if (written.size() > MAX) {
      problems.accept(KEY, "at most %d labels, not %d".formatted(MAX, written.size()));
      return labels;
    }
    written.properties().forEach(label -> read(label, labels, problems));
    return labels;
  }

  private static void read(
      Map.Entry<String, JsonNode> label,
      Map<String, String> labels,
      BiConsumer<String, String> problems) {
    String value = label.getValue().isValueNode() ? label.getValue().asText() : null;
    if (!NAME.matcher(label.getKey()).matches()) {
      problems.accept(
          KEY, "the name of a label has 1 to 60 letters, digits, dots, dashes or underscores");
    } else if (value == null || value.length() > LONGEST_VALUE || !printable(value)) {
      problems.accept(
          KEY + "." + label.getKey(),
          "expected a text of at most %d characters".formatted(LONGEST_VALUE));
    } else {
      labels.put(label.getKey(), value);
    }
  }

  private static boolean printable(String value) {
    return value.chars().noneMatch(Character::isISOControl);
  }

  /** Reads stored labels; those of stored definitions are valid. */
  static Map<String, String> of(JsonNode fields) {
    return read(fields.get(KEY), (field, problem) -> {});
  }

  /** Whether the stored fields have the label. */
  static boolean match(JsonNode fields, LabelSelector selector) {
    return selector.value().equals(of(fields).get(selector.key()));
  }

  /** Adds labels, if there are any, as the last field. */
  static void write(ObjectNode fields, Map<String, String> labels) {
    if (!labels.isEmpty()) {
      ObjectNode written = fields.putObject(KEY);
      new TreeMap<>(labels).forEach(written::put);
    }
  }
}
