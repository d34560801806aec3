package io.millrace.api.workflow;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.ArrayRange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The values that an argument takes, one step for each: listed, or a range of numbers such as
 * {@code 1-500} or {@code 0-90:10}.
 *
 * @param listed the values; null for a range
 * @param range the range; null for a list
 */
public record ValueList(List<String> listed, ArrayRange range) {
  /** The most values of one list. */
  public static final int MAX = 1_000_000;

  public ValueList {
    if ((listed == null) == (range == null)) {
      throw refuse("give either a list of values or a range such as 1-500");
    }
    if (range != null && range.limit() != 0) {
      throw refuse("a range has no limit here; write maxRunning beside each");
    }
    listed = listed == null ? null : List.copyOf(listed);
    long size = listed == null ? range.size() : listed.size();
    if (size == 0 || size > MAX) {
      throw refuse("a list must have from 1 to " + MAX + " values, not " + size);
    }
    if (listed != null) {
      Set<String> seen = new HashSet<>();
      for (String value : listed) {
        if (!seen.add(value)) {
          throw refuse("the value '" + value + "' occurs twice; each value makes one step");
        }
      }
    }
  }

  /** These values. */
  public static ValueList of(List<String> values) {
    return new ValueList(values, null);
  }

  /** Reads a list, or the text of a range. */
  @JsonCreator
  static ValueList read(Object value) {
    if (value instanceof List<?> list) {
      List<String> values = new ArrayList<>(list.size());
      for (Object one : list) {
        if (one == null || one instanceof List || one instanceof java.util.Map) {
          throw refuse("values are texts or numbers");
        }
        values.add(one.toString());
      }
      return of(values);
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

  /** How many there are. */
  public int size() {
    return listed == null ? (int) range.size() : listed.size();
  }

  /** The value at a position from 0. */
  public String get(int position) {
    return listed == null
        ? Long.toString(range.first() + position * range.step())
        : listed.get(position);
  }

  @JsonValue
  Object written() {
    return listed == null ? range.toString() : listed;
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_DEFINITION, "each: " + rule);
  }
}
