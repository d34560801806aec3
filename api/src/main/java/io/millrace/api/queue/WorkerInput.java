package io.millrace.api.queue;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How a worker gets its events. */
public enum WorkerInput {
  /** The batch as NDJSON in a file, complete before the start; acknowledged on exit 0. */
  STDIN,
  /**
   * The worker leases and acknowledges through the API, with the address and token in its
   * environment.
   */
  PULL,
  /** It takes nothing from Millrace; for queues with a source. */
  NONE;

  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Reads the lower-case word. */
  @JsonCreator
  public static WorkerInput of(String word) {
    for (WorkerInput input : values()) {
      if (input.word().equals(word)) {
        return input;
      }
    }
    throw new IllegalArgumentException(
        "'" + word + "' is not a worker input; write stdin, pull or none");
  }
}
