package io.millrace.executor.supervision;

import io.millrace.api.job.AttemptId;
import io.millrace.platform.clock.Clock;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What all watched processes of a supervisor share.
 *
 * @param timer the one thread on which they change
 * @param sampler looks at what they use
 * @param leases of single instances
 * @param groups limit memory where the machine has them
 * @param punch shortens outputs
 * @param onEnding told of each attempt just before its ending is completed
 */
record Watching(
    ProcessTable table,
    GroupSignals signals,
    SupervisionTimer timer,
    Clock clock,
    SupervisionSettings settings,
    EndingMessages words,
    Sampler sampler,
    ExclusionLeases leases,
    Optional<ControlGroups> groups,
    HolePunch punch,
    Consumer<AttemptId> onEnding) {

  Reaping reaping() {
    return new Reaping(signals, timer, clock, settings);
  }
}
