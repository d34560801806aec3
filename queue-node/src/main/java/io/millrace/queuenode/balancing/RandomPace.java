package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import java.time.Duration;

/**
 * How often the published policies decide.
 *
 * @param interval between two selections of one node; 15 minutes as published (H-117)
 * @param scaleInChance that a node tries to empty itself at a selection (H-069; no figure is
 *     published)
 */
@Pure
public record RandomPace(Duration interval, double scaleInChance) {
  /** As published. */
  public static RandomPace published() {
    return new RandomPace(Duration.ofMinutes(15), 0.25);
  }
}
