package io.millrace.manager.pacing;

import io.millrace.api.Pure;

/**
 * A rule that decides how many workers to submit at one tick. Pure and thread-safe: everything it
 * remembers is in the state that it returns.
 */
@Pure
public interface PacingPolicy {

  /**
   * Decides for one tick.
   *
   * @param snapshot what was read now
   * @param settings the queue's settings
   * @param state what the last decision returned, possibly in another process; {@link
   *     PacingState#initial()} for a queue that never had one
   */
  PacingDecision decide(PacingSnapshot snapshot, PacingSettings settings, PacingState state);

  /** The name by which a queue definition selects this policy. */
  String name();

  /** The built-in policy of that name; IllegalArgumentException names those that exist. */
  static PacingPolicy named(String name) {
    return switch (name) {
      case DemandPolicy.NAME -> new DemandPolicy();
      case ThresholdPolicy.NAME -> new ThresholdPolicy();
      default ->
          throw new IllegalArgumentException(
              "unknown pacing policy '%s'; use %s or %s"
                  .formatted(name, DemandPolicy.NAME, ThresholdPolicy.NAME));
    };
  }
}
