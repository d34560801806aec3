package io.millrace.tests.definition;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.api.Json;
import java.util.ArrayList;
import java.util.List;

/** The keys of a definition, as its record is read: nested ones with their path. */
final class DefinitionKeys {
  private static final JsonMapper MAPPER = Json.mapper();

  private DefinitionKeys() {}

  /** Every key that has a value of its own, in the order of the record. */
  static List<String> of(Class<? extends Record> definition) {
    List<String> keys = new ArrayList<>();
    collect("", MAPPER.constructType(definition), keys);
    return keys;
  }

  private static void collect(String prefix, JavaType type, List<String> keys) {
    for (BeanPropertyDefinition property :
        MAPPER.getDeserializationConfig().introspect(type).findProperties()) {
      if (!property.hasConstructorParameter()) {
        continue;
      }
      String path = prefix + property.getName();
      if (isNested(property.getPrimaryType())) {
        collect(path + ".", property.getPrimaryType(), keys);
      } else {
        keys.add(path);
      }
    }
  }

  // A record with a text form, as a size or a range has, is a single value.
  private static boolean isNested(JavaType type) {
    return type.isRecordType()
        && MAPPER.getSerializationConfig().introspect(type).findJsonValueAccessor() == null;
  }
}
