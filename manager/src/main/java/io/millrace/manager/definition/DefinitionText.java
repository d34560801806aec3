package io.millrace.manager.definition;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.util.StringQuotingChecker;
import io.millrace.api.Json;
import io.millrace.platform.document.CoreScalar;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A valid definition as parsed.
 *
 * @param kind its kind's keyword
 * @param name its name
 * @param place where it was read, for messages
 * @param json canonical, as stored
 * @param lines canonical, as compared and shown
 * @param given those of the keys that were written, without defaults
 */
public record DefinitionText(
    String kind, String name, String place, String json, List<String> lines, List<String> given) {
  static <T extends Record> DefinitionText of(
      DefinitionKind<T> kind,
      String place,
      T definition,
      Map<String, String> labels,
      ObjectNode written) {
    return new DefinitionText(
        kind.keyword(),
        kind.nameOf(definition),
        place,
        CanonicalForm.json(definition, labels),
        CanonicalForm.yaml(kind.keyword(), definition, labels),
        CanonicalForm.given(kind.keyword(), definition, labels, written));
  }

  /** The definition as its kind's record. */
  public <T> T as(Class<T> type) {
    return Json.read(json, type);
  }

  /**
   * The canonical form of a definition: all defaults filled in, fields in the record's order, keys
   * of maps sorted. Two definitions are equal when their canonical forms are.
   */
  static final class CanonicalForm {
    private static final JsonMapper JSON =
        Json.mapper().rebuild().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();
    private static final YAMLMapper YAML =
        YAMLMapper.builder(YAMLFactory.builder().stringQuotingChecker(new TextQuotes()).build())
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .build();

    // Constants of records, which definitions and manuals write in lower case.
    private static final List<JsonPointer> CONSTANTS =
        Stream.of(
                "/schedule/overlap",
                "/schedule/catchUp",
                "/window/atEnd",
                "/notify/on",
                "/job/notify/on")
            .map(JsonPointer::compile)
            .toList();

    private CanonicalForm() {}

    /** The form that is stored. */
    static String json(Object definition, Map<String, String> labels) {
      try {
        if (labels.isEmpty()) {
          return JSON.writeValueAsString(definition);
        }
        ObjectNode fields = JSON.valueToTree(definition);
        DefinitionLabels.write(fields, labels);
        return JSON.writeValueAsString(fields);
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("a definition is always writable", e);
      }
    }

    /** The form that is compared and shown, line by line. */
    static List<String> yaml(String kind, Object definition, Map<String, String> labels) {
      return yaml(kind, JSON.<ObjectNode>valueToTree(definition), labels);
    }

    /** The same with only the keys that were written. */
    static List<String> given(
        String kind, Object definition, Map<String, String> labels, ObjectNode written) {
      ObjectNode fields = JSON.valueToTree(definition);
      retain(fields, written);
      return yaml(kind, fields, labels);
    }

    private static void retain(JsonNode canonical, JsonNode written) {
      if (canonical instanceof ObjectNode object && written instanceof ObjectNode keys) {
        object.retain(keys.properties().stream().map(Map.Entry::getKey).toList());
        object.properties().forEach(field -> retain(field.getValue(), keys.get(field.getKey())));
      } else if (canonical instanceof ArrayNode list
          && written instanceof ArrayNode elements
          && list.size() == elements.size()) {
        for (int i = 0; i < list.size(); i++) {
          retain(list.get(i), elements.get(i));
        }
      }
    }

    private static List<String> yaml(String kind, ObjectNode fields, Map<String, String> labels) {
      ObjectNode tree = JsonNodeFactory.instance.objectNode().put("kind", kind);
      tree.setAll(fields);
      DefinitionLabels.write(tree, labels);
      CONSTANTS.forEach(place -> lowerCase(tree.at(place.head()), place.last()));
      try {
        return YAML.writeValueAsString(tree).lines().toList();
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("a definition is always writable", e);
      }
    }

    private static void lowerCase(JsonNode parent, JsonPointer field) {
      JsonNode value = parent.at(field);
      if (value.isTextual()) {
        ((ObjectNode) parent).set(field.getMatchingProperty(), lowerCase(value));
      } else if (value instanceof ArrayNode words) {
        for (int i = 0; i < words.size(); i++) {
          words.set(i, lowerCase(words.get(i)));
        }
      }
    }

    private static JsonNode lowerCase(JsonNode text) {
      return TextNode.valueOf(text.asText().toLowerCase(Locale.ROOT));
    }
  }

  /** Quotes texts that would be read as numbers, such as 1e3 in a schema. */
  private static final class TextQuotes extends StringQuotingChecker.Default {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean needToQuoteValue(String value) {
      return super.needToQuoteValue(value) || !CoreScalar.of(value).isTextual();
    }
  }
}
