package io.millrace.simulator.balance;

import io.millrace.queuenode.load.LoadSettings;
import java.time.Duration;

/**
 * The simulated world; the publication gives none of these figures.
 *
 * @param tick time between two decisions of a node, and age of its reports from the others
 * @param nodeCapacity events per second that keep the store of a node fully busy: such that 6 nodes
 *     are overloaded at the peak of configuration 2 and 8 are not in configuration 1
 * @param rateNoise relative standard deviation of the rate of a queue
 * @param signalNoise relative standard deviation of a measured load
 * @param reverseWindow the reverse move of a queue between the same two nodes within this time is a
 *     ping-pong
 * @param flapWindow a node that is TOOBUSY again within this time flaps
 * @param states thresholds and smoothing of the load of a node, one sample per second
 */
public record SimulationSettings(
    Duration tick,
    double nodeCapacity,
    double rateNoise,
    double signalNoise,
    Duration reverseWindow,
    Duration flapWindow,
    LoadSettings states) {
  /** The default settings: ticks of 2 s as in production. */
  public static SimulationSettings usual() {
    return new SimulationSettings(
        Duration.ofSeconds(2),
        550,
        0.05,
        0.05,
        Duration.ofHours(1),
        Duration.ofMinutes(15),
        LoadSettings.defaults());
  }

  double tickSeconds() {
    return tick.toNanos() / 1e9;
  }

  /** Smoothing of one sample per tick that is equivalent to the configured one per second. */
  LoadSettings statesPerTick() {
    return new LoadSettings(
        1 - Math.pow(1 - states.newShare(), tickSeconds()),
        states.machine(),
        states.busyEnter(),
        states.busyLeave(),
        states.tooBusyEnter(),
        states.tooBusyLeave());
  }
}
