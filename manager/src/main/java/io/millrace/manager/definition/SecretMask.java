package io.millrace.manager.definition;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Replaces the values of environment variables and standard input in JSON, for viewers, who may
 * look at jobs and definitions but not use what they contain. Names stay. Stateless.
 */
public final class SecretMask {
  private static final String MASK = "********";
  private static final String ENVIRONMENT = "env";
  private static final String INPUT = "stdin";

  private SecretMask() {}

  /** Changes the tree. */
  public static void apply(JsonNode tree) {
    if (!(tree instanceof ObjectNode object)) {
      tree.forEach(SecretMask::apply);
      return;
    }
    for (String name : names(object)) {
      JsonNode value = object.get(name);
      if (name.equals(ENVIRONMENT) && value instanceof ObjectNode variables) {
        names(variables).forEach(variable -> variables.put(variable, MASK));
      } else if (name.equals(INPUT) && value.isTextual()) {
        object.put(name, MASK);
      } else {
        apply(value);
      }
    }
  }

  private static List<String> names(ObjectNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }
}
