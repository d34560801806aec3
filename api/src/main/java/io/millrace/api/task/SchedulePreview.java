package io.millrace.api.task;

import java.time.Instant;
import java.util.List;

/**
 * What a schedule means.
 *
 * @param description in words
 * @param next the next planned times, without jitter; empty for perpetual and for one that never
 *     comes
 */
public record SchedulePreview(String description, List<Instant> next) {
  public SchedulePreview {
    next = List.copyOf(next);
  }
}
