package io.millrace.api.job;

import io.millrace.api.DataSize;
import java.time.Duration;
import java.time.Instant;

/**
 * A request of a job for resources, as it was submitted or after it was adjusted (J-13).
 *
 * @param at by the database's clock
 * @param attempt the first attempt with this request
 * @param kind whether it was submitted or adjusted
 * @param pool where it runs
 * @param memory its memory; null for no limit
 * @param timeout its time limit; null for none
 * @param reason what was changed and why; null of the original
 */
public record ResourceAdjustment(
    Instant at,
    int attempt,
    AdjustmentKind kind,
    String pool,
    DataSize memory,
    Duration timeout,
    String reason) {
  /** Where a request comes from. */
  public enum AdjustmentKind {
    /** As it was submitted. */
    ORIGINAL,
    /** Changed because an attempt exceeded the one before. */
    ADJUSTED
  }
}
