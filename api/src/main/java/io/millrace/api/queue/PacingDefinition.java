package io.millrace.api.queue;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import java.time.Duration;

/**
 * How a queue's managers pace its workers; everything has a default.
 *
 * @param policy {@code demand} or {@code threshold}
 * @param tick time between decisions
 * @param waitTarget how long an event may wait (demand)
 * @param maxWorkers workers waiting and running at the most, over all segments
 * @param upperLimit waiting events that count as a breach (threshold, H-172)
 * @param lowerLimit waiting events that count as an empty reading (threshold, H-172)
 * @param backlog waiting events above which burst workers are submitted (threshold, H-181)
 * @param maxStarting workers submitted but not started above which nothing is submitted (H-179)
 */
public record PacingDefinition(
    String policy,
    Duration tick,
    Duration waitTarget,
    int maxWorkers,
    int upperLimit,
    int lowerLimit,
    int backlog,
    int maxStarting) {
  /** What a queue gets that says nothing about pacing. */
  public static final PacingDefinition DEFAULT =
      new PacingDefinition(null, null, null, 0, 0, 0, 0, 0);

  public PacingDefinition {
    policy = policy == null ? "demand" : policy;
    require(
        policy.equals("demand") || policy.equals("threshold"),
        "pacing.policy is demand or threshold, not '" + policy + "'");
    tick = tick == null ? Duration.ofSeconds(5) : tick;
    require(tick.compareTo(Duration.ofMillis(100)) >= 0, "pacing.tick is at least 100ms");
    waitTarget = waitTarget == null ? Duration.ofSeconds(5) : waitTarget;
    maxWorkers = maxWorkers == 0 ? 100 : maxWorkers;
    upperLimit = upperLimit == 0 ? 250 : upperLimit;
    backlog = backlog == 0 ? upperLimit : backlog;
    maxStarting = maxStarting == 0 ? 20 : maxStarting;
    require(
        maxWorkers > 0 && upperLimit > 0 && lowerLimit >= 0 && backlog > 0 && maxStarting > 0,
        "pacing limits are not negative");
    require(
        lowerLimit < upperLimit,
        "pacing.lowerLimit is below upperLimit, not " + lowerLimit + " of " + upperLimit);
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
    }
  }
}
