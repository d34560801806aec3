package io.millrace.platform.openapi;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.type.TypeFactory;
import io.millrace.api.DataSize;
import io.millrace.api.Json;
import io.swagger.v3.core.converter.AnnotatedType;
import io.swagger.v3.core.converter.ModelConverter;
import io.swagger.v3.core.converter.ModelConverterContext;
import io.swagger.v3.core.converter.ModelConverters;
import io.swagger.v3.core.converter.ResolvedSchema;
import io.swagger.v3.core.jackson.ModelResolver;
import io.swagger.v3.core.jackson.TypeNameResolver;
import io.swagger.v3.oas.models.media.Schema;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The JSON schemas of records as {@link Json} writes and reads them. Values with a text form of
 * their own, such as durations, are strings; trees are anything. Used by one thread.
 */
final class RecordSchemas {
  /** Values whose text form Jackson's annotations do not reveal, with an example. */
  private static final Map<Class<?>, String> TEXTS =
      Map.of(Duration.class, "30s", DataSize.class, "2GB");

  private final Map<String, Schema<?>> all = new TreeMap<>();
  private final Set<String> taken = new TreeSet<>();
  private final Map<String, List<String>> primitives = new TreeMap<>();
  private final ModelConverters converters = new ModelConverters(true);

  RecordSchemas() {
    for (ModelConverter usual : List.copyOf(converters.getConverters())) {
      converters.removeConverter(usual);
    }
    ModelResolver resolver = new ModelResolver(Json.mapper(), new UniqueNames());
    resolver.openapi31(true);
    converters.addConverter(resolver);
    converters.addConverter(new OwnForms());
  }

  /**
   * The schemas of all records, by the names under which others refer to them. Numbers and flags of
   * records that are only answered are always present, unless they are left out as usual values;
   * everything else may be absent.
   */
  Map<String, Schema<?>> all() {
    all.forEach(
        (name, schema) -> {
          if (!taken.contains(name)) {
            schema.setRequired(primitives.getOrDefault(name, List.of()));
          }
        });
    return Map.copyOf(all);
  }

  /** The schema of what a request takes: a reference if it is a record. */
  Schema<?> taken(Class<?> type, boolean list) {
    return of(type, list, taken);
  }

  /** The schema of what is answered: a reference if it is a record. */
  Schema<?> answered(Class<?> type, boolean list) {
    return of(type, list, new TreeSet<>());
  }

  private Schema<?> of(Class<?> type, boolean list, Set<String> names) {
    ResolvedSchema resolved =
        converters.resolveAsResolvedSchema(new AnnotatedType(type).resolveAsRef(true));
    resolved.referencedSchemas.forEach((name, schema) -> all.putIfAbsent(name, schema));
    names.addAll(resolved.referencedSchemas.keySet());
    if (!list) {
      return resolved.schema;
    }
    Schema<Object> array = new Schema<>();
    array.addType("array");
    array.setItems(resolved.schema);
    return array;
  }

  /** A value as it stands in the document. */
  static Object plain(Object value) {
    return value instanceof Number || value instanceof Boolean
        ? value
        : Json.mapper().convertValue(value, String.class);
  }

  /** Forms that the library does not know. */
  private static final class OwnForms implements ModelConverter {
    @Override
    public Schema<?> resolve(
        AnnotatedType type, ModelConverterContext context, Iterator<ModelConverter> next) {
      JavaType java = TypeFactory.defaultInstance().constructType(type.getType());
      if (JsonNode.class.isAssignableFrom(java.getRawClass())) {
        return new Schema<>();
      }
      String example = TEXTS.get(java.getRawClass());
      if (example != null) {
        Schema<Object> text = new Schema<>();
        text.addType("string");
        text.setExamples(List.of(example));
        return text;
      }
      Schema<?> schema = next.hasNext() ? next.next().resolve(type, context, next) : null;
      if (schema != null) {
        // A repeated element of a set is accepted.
        schema.setUniqueItems(null);
      }
      return schema;
    }
  }

  /** Refuses two records of one name, of which one would stand for both. */
  private final class UniqueNames extends TypeNameResolver {
    private final Map<String, Class<?>> types = new HashMap<>();

    @Override
    protected String nameForClass(Class<?> type, Set<Options> options) {
      String name = super.nameForClass(type, options);
      Class<?> other = types.putIfAbsent(name, type);
      if (other != null && other != type) {
        throw new IllegalStateException(
            "%s and %s would have the same name in the description of the API"
                .formatted(other.getName(), type.getName()));
      }
      if (type.isRecord()) {
        primitives.put(name, primitives(type));
      }
      return name;
    }

    private List<String> primitives(Class<?> type) {
      BeanDescription described =
          Json.mapper()
              .getSerializationConfig()
              .introspect(TypeFactory.defaultInstance().constructType(type));
      JsonInclude.Value usual = described.findPropertyInclusion(JsonInclude.Value.empty());
      return described.findProperties().stream()
          .filter(property -> property.hasGetter() && property.getRawPrimaryType().isPrimitive())
          .filter(property -> isAlwaysWritten(property, usual))
          .map(BeanPropertyDefinition::getName)
          .sorted()
          .toList();
    }

    private static boolean isAlwaysWritten(
        BeanPropertyDefinition property, JsonInclude.Value usual) {
      // Only this one leaves out a number or a flag.
      return usual.withOverrides(property.findInclusion()).getValueInclusion()
          != JsonInclude.Include.NON_DEFAULT;
    }
  }
}
