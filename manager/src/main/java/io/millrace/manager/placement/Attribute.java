package io.millrace.manager.placement;

import io.millrace.api.Pure;
import java.util.Map;
import java.util.Optional;

/**
 * One attribute of a node.
 *
 * @param variable of the language
 * @param key in it, if it is a map; null otherwise
 */
@Pure
record Attribute(String variable, String key) {
  /** What a node has there. */
  Optional<Object> of(NodeFacts node) {
    Optional<Object> value = node.value(variable);
    return key == null
        ? value
        : value.map(map -> map instanceof Map<?, ?> entries ? entries.get(key) : null);
  }

  /** A value of it, for people. */
  String words(Object value) {
    if (variable.equals("memory") && value instanceof Long bytes) {
      return Figures.size(bytes);
    }
    return value instanceof Double number ? Figures.number(number) : String.valueOf(value);
  }

  @Override
  public String toString() {
    return key == null ? variable : variable + "." + key;
  }
}
