package io.millrace.api.pacing;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.api.Durations;
import io.millrace.api.queue.PacingDefinition;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A temporary override of a queue's definition by an operator; it ends automatically.
 *
 * @param queue its name
 * @param maxWorkers null to keep the definition's
 * @param waitTarget null to keep the definition's
 * @param until its end, by the database's clock
 * @param by who set it
 * @param at when, by the database's clock
 * @param reason human-readable; null for none
 * @param endedBy who ended it early; null if not ended by a user
 * @param endedAt when; null for never
 * @param maxWorkersAfter the definition's value, which applies again afterwards; null if it is not
 *     overridden or was not looked up
 * @param waitTargetAfter likewise
 */
@RecordBuilder
public record PacingOverride(
    String queue,
    Integer maxWorkers,
    Duration waitTarget,
    Instant until,
    String by,
    Instant at,
    String reason,
    String endedBy,
    Instant endedAt,
    Integer maxWorkersAfter,
    Duration waitTargetAfter)
    implements PacingOverrideBuilder.With {
  /** The same with the values of the definition that it overrides. */
  public PacingOverride inPlaceOf(PacingDefinition pacing) {
    return with(
        copy ->
            copy.maxWorkersAfter(maxWorkers == null ? null : (Integer) pacing.maxWorkers())
                .waitTargetAfter(waitTarget == null ? null : pacing.waitTarget()));
  }

  /** What was set and by whom, human-readable. */
  public String words() {
    List<String> set = new ArrayList<>();
    if (maxWorkers != null) {
      set.add("maxWorkers " + maxWorkers + insteadOf(maxWorkersAfter));
    }
    if (waitTarget != null) {
      String after = waitTargetAfter == null ? null : Durations.format(waitTargetAfter);
      set.add("waitTarget " + Durations.format(waitTarget) + insteadOf(after));
    }
    return String.join(" and ", set)
        + " set by "
        + by
        + " until "
        + until
        + (reason == null ? "" : ": " + reason);
  }

  private static String insteadOf(Object after) {
    return after == null ? "" : " instead of " + after;
  }

  /**
   * Overrides settings of a queue's definition for a limited time.
   *
   * @param maxWorkers null to keep the definition's
   * @param waitTarget null to keep the definition's
   * @param duration how long
   * @param reason human-readable; null for none
   */
  public record OverrideRequest(
      Integer maxWorkers,
      Duration waitTarget,
      @JsonProperty("for") Duration duration,
      String reason) {}
}
