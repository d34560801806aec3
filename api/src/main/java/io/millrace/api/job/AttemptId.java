package io.millrace.api.job;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * One start of a job; the number is the fencing token of everything that the attempt does.
 *
 * @param job the job's id
 * @param number from 1, rising with every start
 */
public record AttemptId(long job, int number) {
  public AttemptId {
    if (job < 1 || number < 1) {
      throw new IllegalArgumentException("not an attempt: " + job + "." + number);
    }
  }

  /** Reads {@code job.number}. */
  @JsonCreator
  public static AttemptId parse(String text) {
    int dot = text.indexOf('.');
    try {
      return new AttemptId(
          Long.parseLong(text.substring(0, Math.max(dot, 0))),
          Integer.parseInt(text.substring(dot + 1)));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + text + "' is not an attempt such as 17.1", e);
    }
  }

  @Override
  @JsonValue
  public String toString() {
    return job + "." + number;
  }
}
