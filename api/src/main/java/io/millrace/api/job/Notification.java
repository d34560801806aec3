package io.millrace.api.job;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Whom to notify of a job's problems: a command that is run as a separate job, or a webhook.
 *
 * @param on the occasions; null for FAILED
 * @param command argv; the occasion is in MILLRACE_NOTIFY_… variables; null for none
 * @param webhook http or https address to which the occasion is posted as JSON; null for none
 * @param lateAfter how long it may wait before it counts as late; null for an hour
 */
public record Notification(
    Set<Occasion> on, List<String> command, String webhook, Duration lateAfter) {
  /** The occasions of a notification. */
  public enum Occasion {
    /** The job failed and is not retried. */
    FAILED,
    /** The job has waited longer than allowed. */
    LATE,
    /** Events of the queue went to the dead letters. */
    DEAD,
    /** It was paused. */
    PAUSED
  }

  public Notification {
    on = on == null || on.isEmpty() ? EnumSet.of(Occasion.FAILED) : Set.copyOf(on);
    command = command == null ? List.of() : List.copyOf(command);
    lateAfter = lateAfter == null ? Duration.ofHours(1) : lateAfter;
  }
}
