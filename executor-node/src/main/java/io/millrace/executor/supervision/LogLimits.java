package io.millrace.executor.supervision;

import io.millrace.api.DataSize;

/**
 * How much of each output of an attempt is kept; what lies between is dropped.
 *
 * @param head from its beginning
 * @param tail of what is newest; at times a quarter more
 */
public record LogLimits(DataSize head, DataSize tail) {
  /** 16 MB of each. */
  public static LogLimits defaults() {
    return new LogLimits(new DataSize(16L << 20), new DataSize(16L << 20));
  }
}
