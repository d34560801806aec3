package io.millrace.simulator.pacing;

import io.millrace.manager.pacing.PacingPolicy;
import io.millrace.manager.pacing.PacingSettings;

/**
 * A policy with one setting of its knob, as it takes part in a simulation.
 *
 * @param policy the rule
 * @param settings what it is given
 * @param knob name of the setting that is varied
 * @param value of it
 */
public record ComparedPolicy(
    PacingPolicy policy, PacingSettings settings, String knob, double value) {
  public String name() {
    return policy.name();
  }
}
