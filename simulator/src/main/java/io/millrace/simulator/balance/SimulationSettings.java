package io.millrace.simulator.balance;

import io.millrace.queuenode.load.LoadSettings;
import java.time.Duration;

/**
 * The simulated world; the publication gives none of these figures.
 *
 * @param tick between two decisions of a node, and the age of what it knows of the others
 * @param nodeCapacity events per second that keep a node's store just busy all the time: such that
 *     6 nodes are overloaded at the peak of configuration 2 and 8 are not in configuration 1
 * @param rateNoise standard deviation of a queue's rate, as a part of it
 * @param signalNoise standard deviation of a measured load, as a part of it
 * @param reverseWindow a queue's move back between the same two nodes within this time is a
 *     ping-pong
 * @param flapWindow a node that is TOOBUSY again within this time flaps
 * @param states thresholds and smoothing of a node's load, one sample a second
 */
public record SimulationSettings(
    Duration tick,
    double nodeCapacity,
    double rateNoise,
    double signalNoise,
    Duration reverseWindow,
    Duration flapWindow,
    LoadSettings states) {
  /** The usual world: ticks of 2 s as in production. */
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

  /** Smoothing of one sample a tick that equals the configured one of a sample a second. */
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
