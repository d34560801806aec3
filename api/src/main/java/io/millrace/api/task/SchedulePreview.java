package io.millrace.api.task;

import java.time.Instant;
import java.util.List;

/**
 * A schedule's description and next times.
 *
 * @param description human-readable
 * @param next the next planned times, without jitter; empty for perpetual and for one that never
 *     occurs
 */
public record SchedulePreview(String description, List<Instant> next) {
  public SchedulePreview {
    next = List.copyOf(next);
  }
}
