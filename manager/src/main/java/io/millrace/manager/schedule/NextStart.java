package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import java.time.Instant;

/**
 * What the row of a schedule holds of the time to come.
 *
 * @param plannedAt the next planned time that was not decided upon yet; only rises; null for never
 *     again
 * @param dueAt when to decide: the planned time and its jitter; null for never again. Only that of
 *     a perpetual schedule may be before the planned time, which is just a name there
 */
@Pure
public record NextStart(Instant plannedAt, Instant dueAt) {
  /** There is no planned time any more. */
  public static final NextStart NEVER = new NextStart(null, null);

  public NextStart {
    if ((plannedAt == null) != (dueAt == null)) {
      throw new IllegalArgumentException("plannedAt and dueAt are both null or both given");
    }
  }
}
