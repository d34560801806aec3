package io.millrace.manager.insight;

import io.millrace.api.job.JobState;
import java.time.Instant;

/**
 * What a job's explanation needs besides its view.
 *
 * @param id the job's id
 * @param state now
 * @param pool where it runs
 * @param shape the shape that it is placed by
 * @param near the queue node that it would like to run beside; null for none
 * @param definition what earlier runs of the same are found by
 * @param held whether somebody wants it to wait
 * @param holdReason who and why; null if not said
 * @param unmet dependencies that are not met yet
 * @param lane its serial lane; null for none
 * @param notBefore when it may start (again); null for at once
 * @param attempt number of its last attempt; 0 before the first
 * @param reason why it is in its state, for people; null if plain
 * @param isArray whether it stands for an array
 * @param readyAt since when it waits to be placed; null when it doesn't
 */
public record WaitFacts(
    long id,
    JobState state,
    String pool,
    long shape,
    String near,
    String definition,
    boolean held,
    String holdReason,
    int unmet,
    String lane,
    Instant notBefore,
    int attempt,
    String reason,
    boolean isArray,
    Instant readyAt) {
  /** Whether nothing but its turn on a node keeps it waiting. */
  public boolean placeable(Instant now) {
    return state == JobState.WAITING && (notBefore == null || !notBefore.isAfter(now));
  }
}
