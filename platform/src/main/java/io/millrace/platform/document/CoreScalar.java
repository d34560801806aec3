package io.millrace.platform.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.math.BigInteger;
import java.util.regex.Pattern;

/**
 * What a plain scalar is by the core schema of YAML 1.2: a number, a truth value, null, or else
 * text. {@code yes}, {@code off}, {@code 1_000} and {@code 1:30} are texts, and so is what JSON
 * does not have ({@code .inf}, {@code .nan}) and octal {@code 0o17}.
 */
public final class CoreScalar {
  private static final Pattern NULL = Pattern.compile("null|Null|NULL|~|");
  private static final Pattern TRUE = Pattern.compile("true|True|TRUE");
  private static final Pattern FALSE = Pattern.compile("false|False|FALSE");
  private static final Pattern DECIMAL = Pattern.compile("[-+]?[0-9]++");
  private static final Pattern HEXADECIMAL = Pattern.compile("0x[0-9a-fA-F]++");
  private static final Pattern FLOAT =
      Pattern.compile("[-+]?(?:\\.[0-9]++|[0-9]++(?:\\.[0-9]*+)?)(?:[eE][-+]?[0-9]++)?");
  // Reading more digits takes long; as many as JSON may have.
  private static final int LONGEST_NUMBER = 1_000;

  private CoreScalar() {}

  /** The value of a plain scalar. */
  public static JsonNode of(String text) {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    if (NULL.matcher(text).matches()) {
      return nodes.nullNode();
    }
    if (TRUE.matcher(text).matches()) {
      return nodes.booleanNode(true);
    }
    if (FALSE.matcher(text).matches()) {
      return nodes.booleanNode(false);
    }
    if (text.length() > LONGEST_NUMBER) {
      return nodes.textNode(text);
    }
    if (DECIMAL.matcher(text).matches()) {
      return integer(new BigInteger(text));
    }
    if (HEXADECIMAL.matcher(text).matches()) {
      return integer(new BigInteger(text.substring(2), 16));
    }
    if (FLOAT.matcher(text).matches()) {
      double number = Double.parseDouble(text);
      return Double.isFinite(number) ? nodes.numberNode(number) : nodes.textNode(text);
    }
    return nodes.textNode(text);
  }

  // Of the size that a reader of JSON chooses.
  private static JsonNode integer(BigInteger number) {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    if (number.bitLength() < Integer.SIZE) {
      return nodes.numberNode(number.intValue());
    }
    return number.bitLength() < Long.SIZE
        ? nodes.numberNode(number.longValue())
        : nodes.numberNode(number);
  }
}
