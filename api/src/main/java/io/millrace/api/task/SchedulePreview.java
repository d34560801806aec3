package io.millrace.api.task;

import java.time.Instant;
import java.util.List;

/**
 * A schedule in words.
 *
 * @param description in words
 * @param next the next planned times, without jitter; empty for perpetual and for one that never
 *     occurs
 */
public record SchedulePreview(String description, List<Instant> next) {
  public SchedulePreview {
    next = List.copyOf(next);
  }
}
