package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import java.time.Instant;

/**
 * A new job as it is inserted.
 *
 * @param job what was asked for
 * @param kind who wanted it
 * @param owner who submitted it
 * @param demand what it is placed and charged by
 * @param state its first state
 * @param unmet dependencies that are not met yet
 * @param reason why it is in that state; null if plain
 * @param notBefore when it may start; null for at once
 */
public record Arrival(
    NewJob job,
    JobKind kind,
    String owner,
    Demand demand,
    JobState state,
    int unmet,
    String reason,
    Instant notBefore) {
  /**
   * What a job is placed and charged by.
   *
   * @param share whose fair share it is charged to
   * @param definition what earlier runs of the same are found by
   * @param cpuMillis thousandths of processors that it books
   * @param memoryBytes memory that it books
   * @param shapeId its shape
   */
  public record Demand(
      String share, String definition, int cpuMillis, long memoryBytes, long shapeId) {}
}
