package io.millrace.api.job;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.millrace.api.DataSize;
import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.Sizes;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * What becomes of a job's request for a resource when an attempt was killed because it exceeded it,
 * and is retried (J-12): {@code 1.5}, or {@code {memory: 1.5, timeout: [1h, 4h]}}.
 *
 * @param memory how the memory grows, in bytes; null if it does not
 * @param timeout how the time limit grows, in milliseconds; null if it does not
 */
public record ResourceScale(Growth memory, Growth timeout) {
  private static final String MEMORY = "memory";
  private static final String TIMEOUT = "timeout";

  public ResourceScale {
    if (memory == null && timeout == null) {
      throw refuse("give a factor such as 1.5, or memory or timeout with one");
    }
  }

  /** The same factor for memory and time limit. */
  public static ResourceScale by(double factor) {
    Growth growth = Growth.by(factor);
    return new ResourceScale(growth, growth);
  }

  /** Reads a factor, or factors and lists of values by resource. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  static ResourceScale read(Object value) {
    if (value instanceof Number || value instanceof String) {
      return by(number(value));
    }
    if (!(value instanceof Map<?, ?> resources)) {
      throw refuse("give a factor such as 1.5, or {memory: 1.5, timeout: [1h, 4h]}");
    }
    for (Object name : resources.keySet()) {
      if (!MEMORY.equals(name) && !TIMEOUT.equals(name)) {
        throw refuse("'" + name + "' is not scaled; use memory and timeout");
      }
    }
    return new ResourceScale(
        Growth.read(MEMORY, resources.get(MEMORY), text -> DataSize.parse(text).bytes()),
        Growth.read(TIMEOUT, resources.get(TIMEOUT), text -> Durations.parse(text).toMillis()));
  }

  @JsonValue
  Object written() {
    if (memory != null && memory.equals(timeout) && memory.factor() != null) {
      return memory.factor();
    }
    Map<String, Object> resources = new LinkedHashMap<>();
    if (memory != null) {
      resources.put(MEMORY, memory.written(Sizes::format));
    }
    if (timeout != null) {
      resources.put(TIMEOUT, timeout.written(ResourceScale::time));
    }
    return resources;
  }

  /** In words: {@code x 1.5}, or {@code memory x 1.5, timeout 1h 4h}. */
  @Override
  public String toString() {
    if (memory != null && memory.equals(timeout) && memory.factor() != null) {
      return memory.words(Sizes::format);
    }
    List<String> parts = new ArrayList<>();
    if (memory != null) {
      parts.add(MEMORY + " " + memory.words(Sizes::format));
    }
    if (timeout != null) {
      parts.add(TIMEOUT + " " + timeout.words(ResourceScale::time));
    }
    return String.join(", ", parts);
  }

  // Some files are read without a look at what their values are.
  private static double number(Object value) {
    try {
      return Double.parseDouble(value.toString().strip());
    } catch (NumberFormatException e) {
      throw new MillraceException(
          ErrorCode.INVALID_DEFINITION,
          "retry.scale: '%s' is not a factor such as 1.5".formatted(ShownText.of(value.toString())),
          e);
    }
  }

  private static String time(long millis) {
    return Durations.format(Duration.ofMillis(millis));
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_DEFINITION, "retry.scale: " + rule);
  }

  /**
   * How one resource grows: by a factor, or to the next of some values.
   *
   * @param factor 1 to 100; 1 leaves the request as it is; null for values
   * @param values rising values; after the last one the request stays; null for a factor
   */
  public record Growth(Double factor, List<Long> values) {
    /** The most values of one resource. */
    public static final int MAX_VALUES = 20;

    private static final double MAX_FACTOR = 100;

    public Growth {
      if ((factor == null) == (values == null)) {
        throw refuse("give either a factor or a list of values for a resource");
      }
      // Also refuses what is not a number.
      if (factor != null && !(factor >= 1 && factor <= MAX_FACTOR)) {
        throw refuse("a factor must be from 1 to 100, not " + factor);
      }
      values = values == null ? null : List.copyOf(values);
      if (values != null && (values.isEmpty() || values.size() > MAX_VALUES)) {
        throw refuse("a list must have from 1 to " + MAX_VALUES + " values");
      }
      for (int i = 0; values != null && i < values.size(); i++) {
        if (values.get(i) <= (i == 0 ? 0 : values.get(i - 1))) {
          throw refuse("the values of a list must rise");
        }
      }
    }

    /** Grows by a factor. */
    public static Growth by(double factor) {
      return new Growth(factor, null);
    }

    /** Grows to these values, one after the other. */
    public static Growth to(List<Long> values) {
      return new Growth(null, values);
    }

    private static Growth read(String resource, Object value, ToLongFunction<String> amount) {
      if (value == null) {
        return null;
      }
      if (value instanceof Number || value instanceof String) {
        return by(number(value));
      }
      if (value instanceof List<?> list) {
        List<Long> values = new ArrayList<>(list.size());
        for (Object one : list) {
          try {
            values.add(amount.applyAsLong(String.valueOf(one)));
          } catch (IllegalArgumentException | ArithmeticException e) {
            throw new MillraceException(
                ErrorCode.INVALID_DEFINITION,
                "retry.scale.%s: %s".formatted(resource, e.getMessage()),
                e);
          }
        }
        return to(values);
      }
      throw refuse(resource + " takes a factor such as 1.5 or a list of values");
    }

    private Object written(LongFunction<String> format) {
      return factor != null ? factor : values.stream().map(format::apply).toList();
    }

    private String words(LongFunction<String> format) {
      return factor != null
          ? "x " + BigDecimal.valueOf(factor).stripTrailingZeros().toPlainString()
          : String.join(" ", values.stream().map(format::apply).toList());
    }
  }
}
