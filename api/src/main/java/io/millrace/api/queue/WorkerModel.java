package io.millrace.api.queue;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How long a worker runs. */
public enum WorkerModel {
  /** It takes one batch and exits. */
  EXIT,
  /** It takes further batches within its run limits and waits briefly for more. */
  LINGER;

  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Reads the lower-case word. */
  @JsonCreator
  public static WorkerModel of(String word) {
    for (WorkerModel model : values()) {
      if (model.word().equals(word)) {
        return model;
      }
    }
    throw new IllegalArgumentException(
        "'" + word + "' is not a worker model; write exit or linger");
  }
}
