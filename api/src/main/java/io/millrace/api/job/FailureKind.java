package io.millrace.api.job;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;

/** Why an attempt failed, which decides whether it is retried. */
public enum FailureKind {
  /** An exit code other than 0. */
  EXIT,
  /** A signal that Millrace did not send. */
  SIGNAL,
  /** Its time limit. */
  TIMEOUT,
  /** Its memory limit. */
  MEMORY,
  /** The loss of its node; tried again without being counted unless left out. */
  NODE_LOST,
  /** The program could not be started. */
  START_FAILED;

  /** Reads {@code node-lost} and {@code NODE_LOST} alike. */
  @JsonCreator
  public static FailureKind parse(String text) {
    String name = text.strip().replace('-', '_').toUpperCase(Locale.ROOT);
    return Arrays.stream(values())
        .filter(kind -> kind.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "'" + text + "' is not a kind of failure; use " + Arrays.toString(values())));
  }

  @Override
  @JsonValue
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
