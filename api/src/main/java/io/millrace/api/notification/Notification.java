package io.millrace.api.notification;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Whom to notify of a job, the runs of a task, a queue or a workflow: a command that is run as a
 * separate job, or a webhook. Which occasions each of them has is checked where it is defined.
 *
 * @param on the occasions; null for FAILED
 * @param command argv; the occasion is in MILLRACE_NOTIFY_… variables; null for none
 * @param webhook http or https address to which the occasion is posted as JSON; null for none
 * @param lateAfter how long a job or run may wait before it counts as late; null for an hour
 * @param hungAfter how long a run may take before it counts as hung; null for a day
 */
public record Notification(
    Set<Occasion> on,
    List<String> command,
    String webhook,
    Duration lateAfter,
    Duration hungAfter) {
  /** Time after which a job or run is late by default. */
  public static final Duration LATE_AFTER = Duration.ofHours(1);

  /** Time after which a run is hung by default. */
  public static final Duration HUNG_AFTER = Duration.ofDays(1);

  /** The occasions of a notification. */
  public enum Occasion {
    /** A job failed and is not retried, or a run of a task or a workflow failed. */
    FAILED,
    /** A job or a run has waited longer than allowed. */
    LATE,
    /** Planned times of a task passed without a run. */
    MISSED,
    /** A run of a task or a workflow takes longer than allowed. */
    HUNG,
    /** Events of the queue became dead letters. */
    DEAD,
    /** The queue was paused, or a template of a workflow because its steps fail. */
    PAUSED,
    /** A workflow succeeded. */
    SUCCEEDED,
    /** A workflow was cancelled. */
    CANCELLED
  }

  public Notification {
    // In a fixed order, so that the same definition always has the same text.
    on =
        Collections.unmodifiableSet(
            on == null || on.isEmpty() ? EnumSet.of(Occasion.FAILED) : EnumSet.copyOf(on));
    command = command == null ? List.of() : List.copyOf(command);
    lateAfter = lateAfter == null ? LATE_AFTER : lateAfter;
    hungAfter = hungAfter == null ? HUNG_AFTER : hungAfter;
  }

  /** A notification with the default time after which a run is hung. */
  public Notification(Set<Occasion> on, List<String> command, String webhook, Duration lateAfter) {
    this(on, command, webhook, lateAfter, null);
  }
}
