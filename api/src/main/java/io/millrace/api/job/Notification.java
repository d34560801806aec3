package io.millrace.api.job;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Whom to tell when something of a job goes wrong: a command that is run as a job of its own, or a
 * web address that is posted to.
 *
 * @param on what is told; null for FAILED
 * @param command argv; the occasion is in MILLRACE_NOTIFY_… variables; null for none
 * @param webhook http or https address that gets the occasion as JSON; null for none
 * @param lateAfter how long it may wait before it counts as late; null for an hour
 */
public record Notification(
    Set<Occasion> on, List<String> command, String webhook, Duration lateAfter) {
  /** What may be told. */
  public enum Occasion {
    /** It failed with no retry left. */
    FAILED,
    /** It has waited longer than it may. */
    LATE,
    /** Events of the queue went to the dead letters. */
    DEAD,
    /** Somebody or something paused it. */
    PAUSED
  }

  public Notification {
    on = on == null || on.isEmpty() ? EnumSet.of(Occasion.FAILED) : Set.copyOf(on);
    command = command == null ? List.of() : List.copyOf(command);
    lateAfter = lateAfter == null ? Duration.ofHours(1) : lateAfter;
  }
}
