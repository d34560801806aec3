package io.millrace.manager.definition;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.Durations;
import io.millrace.api.Json;
import io.millrace.manager.definition.YamlReader.YamlDocument;
import io.millrace.platform.config.NearestName;
import java.time.Duration;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Turns the fields of a document into a record and finds every problem on the way: unknown keys,
 * values of a wrong form, and rules of the record's constructor. A broken field is replaced by that
 * of the kind's minimal definition and the reading goes on. Used once, by one thread.
 */
final class RecordReader {
  /** Fields that are left out get their defaults from the record's constructor. */
  private static final JsonMapper MAPPER =
      Json.mapper()
          .rebuild()
          .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
          .build();

  private final YamlDocument document;
  private final List<String> problems;

  RecordReader(YamlDocument document, List<String> problems) {
    this.document = document;
    this.problems = problems;
  }

  /** Reads a record; empty when its constructor refused even what was mended. */
  <T> Optional<T> read(ObjectNode fields, Class<T> type, ObjectNode minimal) {
    return record(fields, MAPPER.constructType(type), "", minimal).map(type::cast);
  }

  private Optional<Object> record(
      ObjectNode fields, JavaType type, String path, ObjectNode minimal) {
    Map<String, JavaType> known = properties(type);
    ObjectNode kept = JsonNodeFactory.instance.objectNode();
    fields
        .properties()
        .forEach(
            field -> {
              String inner = path.isEmpty() ? field.getKey() : path + "." + field.getKey();
              JavaType wanted = known.get(field.getKey());
              if (wanted == null) {
                problem(inner, unknown(field.getKey(), known.keySet()));
              } else if (!field.getValue().isNull()) {
                mended(field.getValue(), wanted, inner, minimal.get(field.getKey()))
                    .ifPresent(value -> kept.set(field.getKey(), value));
              }
            });
    return construct(kept, type, path, minimal, known.keySet());
  }

  /** The value when it has the right form, otherwise the minimal one, if there is one. */
  private Optional<JsonNode> mended(
      JsonNode value, JavaType wanted, String path, JsonNode minimal) {
    Optional<String> wrong = FieldForm.of(wanted).mismatch(value);
    if (wrong.isPresent()) {
      problem(path, wrong.get());
      return Optional.ofNullable(minimal);
    }
    if (FieldForm.isPlainRecord(wanted)) {
      ObjectNode inner =
          minimal instanceof ObjectNode object ? object : JsonNodeFactory.instance.objectNode();
      int before = problems.size();
      record((ObjectNode) value, wanted, path, inner);
      return problems.size() == before ? Optional.of(value) : Optional.ofNullable(minimal);
    }
    try {
      MAPPER.treeToValue(value, wanted);
      return Optional.of(value);
    } catch (JsonProcessingException e) {
      problem(path, FieldForm.words(e, value));
      return Optional.ofNullable(minimal);
    }
  }

  private Optional<Object> construct(
      ObjectNode kept, JavaType type, String path, ObjectNode minimal, Set<String> known) {
    Set<String> replaced = new HashSet<>();
    while (true) {
      try {
        return Optional.of(MAPPER.treeToValue(kept, type));
      } catch (JsonProcessingException e) {
        String rule = FieldForm.words(e, kept);
        String field = named(rule, path);
        boolean mendable = known.contains(field) && replaced.add(field);
        String inner = path.isEmpty() ? field : path + "." + field;
        problem(mendable ? inner : path, rule);
        if (!mendable) {
          return Optional.empty();
        }
        kept.remove(field);
        if (minimal.has(field)) {
          kept.set(field, minimal.get(field));
        }
      }
    }
  }

  /** Rules begin with the path of their field. */
  private static String named(String rule, String path) {
    String first = rule.substring(0, Math.max(0, rule.indexOf(' ')));
    return first.startsWith(path + ".") ? first.substring(path.length() + 1) : first;
  }

  private static Map<String, JavaType> properties(JavaType type) {
    Map<String, JavaType> known = new LinkedHashMap<>();
    for (BeanPropertyDefinition property :
        MAPPER.getDeserializationConfig().introspect(type).findProperties()) {
      known.put(property.getName(), property.getPrimaryType());
    }
    return known;
  }

  static String unknown(String key, Set<String> known) {
    return "unknown key"
        + NearestName.of(key, known)
            .map(near -> "; did you mean '" + near + "'?")
            .orElse("; known are " + String.join(", ", known));
  }

  private void problem(String path, String words) {
    problems.add(document.place(path) + ": " + words);
  }

  /** The YAML form that a field wants, and what to say about another one. */
  private enum FieldForm {
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
          && Json.mapper().getSerializationConfig().introspect(type).findJsonValueAccessor()
              == null;
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
}
