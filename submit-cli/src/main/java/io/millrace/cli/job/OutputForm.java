package io.millrace.cli.job;

/** How a job's output reaches the user. */
public enum OutputForm {
  /** Byte for byte. */
  RAW,
  /** What could harm a terminal is escaped. */
  SAFE,
  /** Each line as a JSON object with attempt and stream. */
  JSON
}
