package io.millrace.platform.schema;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.Set;

/** The steps that a keyword of a schema takes at a place of the data. Thread-safe. */
@FunctionalInterface
interface KeywordWork {
  /** Characters that are compared or copied in one step. */
  int CHARACTERS = 8;

  /** Steps for each value in a list or an object that is compared as a whole. */
  int COMPARED = 4;

  /** Bits of a large number that are written out in one step. */
  int BITS = 2;

  /** Steps for a reference that is looked up in each check. */
  int LOOKED_UP = 200;

  /**
   * Spends them.
   *
   * @throws CheckBound.Reached if that is too much
   */
  void spend(CheckBound bound, JsonNode data);

  /**
   * The work of a keyword.
   *
   * @param value of the keyword in the schema
   * @return null if it does not grow with the schema or the data
   */
  static KeywordWork of(String keyword, JsonNode value) {
    return switch (keyword) {
      case "required", "properties" -> ofNames(value.size());
      case "patternProperties",
          "additionalProperties",
          "unevaluatedProperties",
          "dependentSchemas",
          "items",
          "additionalItems",
          "prefixItems",
          "contains",
          "unevaluatedItems" ->
          (bound, data) -> bound.spendOnEntries(data.size());
      case "dependencies", "dependentRequired" -> ofDependencies(value);
      case "enum" -> ofValues(value);
      case "const" -> ofValue(value);
      case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf" ->
          ofLimit(value);
      case "minLength", "maxLength" -> (bound, data) -> bound.spend(characters(data) / CHARACTERS);
      case "contentEncoding", "contentMediaType" ->
          (bound, data) -> bound.spend(characters(value) + characters(data));
      case "$dynamicRef", "$recursiveRef" -> (bound, data) -> bound.spend(LOOKED_UP);
      default -> null;
    };
  }

  private static KeywordWork ofNames(int names) {
    return (bound, data) -> bound.spend(data.isObject() ? names : 0);
  }

  private static KeywordWork ofDependencies(JsonNode value) {
    int names = value.size();
    for (JsonNode dependency : value) {
      names += dependency.size();
    }
    KeywordWork ofNames = ofNames(names);
    return (bound, data) -> {
      bound.spendOnEntries(data.size());
      ofNames.spend(bound, data);
    };
  }

  /** The library looks for the data by hash code; those with the same one are compared in turn. */
  private static KeywordWork ofValues(JsonNode values) {
    Set<Integer> codes = new HashSet<>();
    boolean lists = false;
    boolean alike = false;
    for (JsonNode value : values) {
      lists |= value.isContainerNode();
      alike |=
          !codes.add(value.isNumber() ? Double.hashCode(value.doubleValue()) : value.hashCode());
    }
    boolean oneOfTheLists = lists;
    boolean oneOfAlike = alike;
    int all = values.toString().length() / CHARACTERS;
    return (bound, data) -> {
      spendOnWhole(bound, data);
      bound.spend((data.isContainerNode() ? oneOfTheLists : oneOfAlike) ? all : 0);
    };
  }

  private static KeywordWork ofValue(JsonNode value) {
    int all = value.toString().length() / CHARACTERS;
    return (bound, data) -> {
      if (data.isNumber()) {
        bound.spend(digits(data));
      } else if (data.getNodeType() == value.getNodeType() && data.size() == value.size()) {
        bound.spend(all);
      }
    };
  }

  private static KeywordWork ofLimit(JsonNode value) {
    long digits = digits(value);
    return (bound, data) -> bound.spend(data.isNumber() ? digits + digits(data) : 0);
  }

  private static void spendOnWhole(CheckBound bound, JsonNode data) {
    bound.spend(characters(data) / CHARACTERS);
    if (data.isNumber()) {
      bound.spend(digits(data));
    }
    for (JsonNode value : data) {
      bound.spend(COMPARED);
      spendOnWhole(bound, value);
    }
  }

  private static int characters(JsonNode text) {
    return text.isTextual() ? text.textValue().length() : 0;
  }

  private static long digits(JsonNode number) {
    if (number.isBigInteger()) {
      return number.bigIntegerValue().bitLength() / BITS;
    }
    if (!number.isFloatingPointNumber() || number.doubleValue() == 0) {
      return 0;
    }
    // It is written out with the zeros before or after its digits.
    return Math.abs(Math.getExponent(number.doubleValue())) / BITS;
  }
}
