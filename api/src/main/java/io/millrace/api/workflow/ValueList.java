package io.millrace.api.workflow;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.job.ArrayRange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The values that an argument takes, one step for each: listed, or a range of numbers such as
 * {@code 1-500} or {@code 0-90:10}, or a list that a step gives during the run.
 *
 * @param listed the values; null otherwise
 * @param range the range; null otherwise
 * @param source which step gives them; null if they are known
 */
public record ValueList(List<String> listed, ArrayRange range, ListSource source) {
  /** The most values of one list. */
  public static final int MAX = 1_000_000;

  /** The most characters of a value. */
  public static final int LONGEST_VALUE = 4096;

  public ValueList {
    if ((listed == null ? 0 : 1) + (range == null ? 0 : 1) + (source == null ? 0 : 1) != 1) {
      throw refuse("give either a list of values, a range such as 1-500, or from: TEMPLATE.NAME");
    }
    if (range != null && range.limit() != 0) {
      throw refuse("a range has no limit here; write maxRunning beside each");
    }
    listed = listed == null ? null : List.copyOf(listed);
    long size = source != null ? source.max() : listed == null ? range.size() : listed.size();
    if (size == 0 || size > MAX) {
      throw refuse("a list must have from 1 to " + MAX + " values, not " + size);
    }
    if (listed != null) {
      Set<String> seen = new HashSet<>();
      for (String value : listed) {
        if (value.length() > LONGEST_VALUE) {
          throw refuse(
              "a value has %d characters; use at most %d".formatted(value.length(), LONGEST_VALUE));
        }
        if (value.chars().anyMatch(Character::isISOControl)) {
          throw refuse("a value has control characters; let the step read it from a file");
        }
        if (!seen.add(value)) {
          throw refuse(
              "the value '" + ShownText.of(value) + "' occurs twice; each value makes one step");
        }
      }
    }
  }

  /** A list or a range. */
  public ValueList(List<String> listed, ArrayRange range) {
    this(listed, range, null);
  }

  /** These values. */
  public static ValueList of(List<String> values) {
    return new ValueList(values, null);
  }

  /** The values that a step gives. */
  public static ValueList of(ListSource source) {
    return new ValueList(null, null, source);
  }

  /** Reads a list, the text of a range, or where a list comes from. */
  @JsonCreator
  static ValueList read(Object value) {
    if (value instanceof List<?> list) {
      List<String> values = new ArrayList<>(list.size());
      for (Object one : list) {
        if (one == null || one instanceof List || one instanceof Map) {
          throw refuse("values are texts or numbers");
        }
        values.add(one.toString());
      }
      return of(values);
    }
    if (value instanceof Map<?, ?> fields) {
      return of(source(fields));
    }
    if (value instanceof String || value instanceof Number) {
      try {
        return new ValueList(null, ArrayRange.parse(value.toString()));
      } catch (IllegalArgumentException e) {
        throw new MillraceException(
            ErrorCode.INVALID_DEFINITION,
            "each: " + e.getMessage() + "; a single value is written as a list, [VALUE]",
            e);
      }
    }
    throw refuse("give a list of values or a range such as 1-500");
  }

  private static ListSource source(Map<?, ?> fields) {
    for (Object key : fields.keySet()) {
      if (!"from".equals(key) && !"max".equals(key)) {
        throw refuse(
            "'"
                + ShownText.of(key.toString())
                + "' is unknown; a list from a step has from and max");
      }
    }
    Object from = fields.get("from");
    Object max = fields.get("max");
    try {
      return new ListSource(
          from == null ? null : from.toString(),
          max == null ? null : Integer.valueOf(max.toString().strip()));
    } catch (NumberFormatException e) {
      throw new MillraceException(
          ErrorCode.INVALID_DEFINITION,
          "each: max: '" + ShownText.of(max.toString()) + "' is not a whole number",
          e);
    }
  }

  /** How many there are; of a list that a step gives, the most. */
  public int size() {
    if (source != null) {
      return source.max();
    }
    return listed == null ? (int) range.size() : listed.size();
  }

  /**
   * The value at a position from 0.
   *
   * @throws IllegalStateException if a step gives the list
   */
  public String get(int position) {
    if (source != null) {
      throw new IllegalStateException("the values of " + source.from() + " are not known here");
    }
    return listed == null
        ? Long.toString(range.first() + position * range.step())
        : listed.get(position);
  }

  @JsonValue
  Object written() {
    return source != null ? source : listed == null ? range.toString() : listed;
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_DEFINITION, "each: " + rule);
  }
}
