package io.millrace.api.pacing;

import io.millrace.api.quantity.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * What an operator has set for a while in place of the definition; it ends by itself.
 *
 * @param queue its name
 * @param maxWorkers null for the definition's
 * @param waitTarget null for the definition's
 * @param until its end, by the database's clock
 * @param by who said so
 * @param at when, by the database's clock
 * @param reason for people; null for none
 * @param endedBy who ended it early; null for nobody
 * @param endedAt when; null for never
 */
public record PacingOverride(
    String queue,
    Integer maxWorkers,
    Duration waitTarget,
    Instant until,
    String by,
    Instant at,
    String reason,
    String endedBy,
    Instant endedAt) {
  /** Who has set what, for people. */
  public String words() {
    List<String> set = new ArrayList<>();
    if (maxWorkers != null) {
      set.add("maxWorkers " + maxWorkers);
    }
    if (waitTarget != null) {
      set.add("waitTarget " + Durations.format(waitTarget));
    }
    return String.join(" and ", set)
        + " set by "
        + by
        + " until "
        + until
        + (reason == null ? "" : ": " + reason);
  }
}
