package io.millrace.api;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * An amount of bytes, written with a unit.
 *
 * @param bytes not negative
 */
public record DataSize(long bytes) {
  public DataSize {
    if (bytes < 0) {
      throw new IllegalArgumentException("a size must not be negative: " + bytes);
    }
  }

  /** Reads the forms of {@link Sizes#parse}. */
  @JsonCreator
  public static DataSize parse(String text) {
    return new DataSize(Sizes.parse(text));
  }

  @Override
  @JsonValue
  public String toString() {
    return Sizes.format(bytes);
  }
}
