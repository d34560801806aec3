package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.queuenode.load.LoadSettings;

/**
 * What the policies go by.
 *
 * @param limits up to where load may go
 * @param pace how fast weight may move
 * @param random how often the published policies decide
 */
@Pure
public record BalancingSettings(LoadLimits limits, MovePace pace, RandomPace random) {
  /** Settings that fit the thresholds and the smoothing of node loads. */
  public static BalancingSettings of(LoadSettings load) {
    return new BalancingSettings(
        LoadLimits.of(load), MovePace.of(load.newShare()), RandomPace.published());
  }

  /** The same with another pace. */
  public BalancingSettings with(MovePace other) {
    return new BalancingSettings(limits, other, random);
  }

  /** The same with another pace of the published policies. */
  public BalancingSettings with(RandomPace other) {
    return new BalancingSettings(limits, pace, other);
  }
}
