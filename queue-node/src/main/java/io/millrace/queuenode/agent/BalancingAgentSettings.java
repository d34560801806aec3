package io.millrace.queuenode.agent;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.queuenode.balancing.BalancingPolicy.BalancingPolicies;
import io.millrace.queuenode.balancing.BalancingSettings;
import io.millrace.queuenode.balancing.BalancingSettings.MovePace;
import io.millrace.queuenode.balancing.BalancingSettings.RandomPace;
import io.millrace.queuenode.load.LoadSettings;
import java.time.Duration;

/**
 * How a node balances its weight; the limits follow from the thresholds of its states.
 *
 * @param policy the policy's name
 * @param tick the approximate interval of decisions
 * @param minWeight points below which a segment is not split (H-123)
 * @param reverseBan how long a queue's points may not move back
 * @param quiet time without any change of weights before a node empties itself to scale in
 * @param budgetShare part of all points that may move within five minutes to shed load
 * @param selectEvery how often the published policies select (H-117)
 */
public record BalancingAgentSettings(
    String policy,
    Duration tick,
    int minWeight,
    Duration reverseBan,
    Duration quiet,
    double budgetShare,
    Duration selectEvery) {
  private static final Duration SHORTEST_TICK = Duration.ofMillis(50);

  public BalancingAgentSettings {
    require(tick.compareTo(SHORTEST_TICK) >= 0, "tick must be at least 50ms");
    // Refuses a name that no policy has.
    BalancingPolicies.named(policy, BalancingSettings.of(LoadSettings.defaults()));
    require(minWeight >= 1, "minWeight must be at least 1");
    require(budgetShare > 0 && budgetShare <= 1, "budgetShare must be above 0 and at most 1");
  }

  /** The measured-load policy, every two seconds. */
  public static BalancingAgentSettings defaults() {
    return new BalancingAgentSettings(
        BalancingPolicies.DEFAULT,
        Duration.ofSeconds(2),
        5,
        Duration.ofMinutes(3),
        Duration.ofMinutes(2),
        0.10,
        Duration.ofMinutes(15));
  }

  /** The settings of the policies on a node with these state thresholds. */
  public BalancingSettings rules(LoadSettings load) {
    BalancingSettings usual = BalancingSettings.of(load);
    MovePace pace = usual.pace();
    return usual
        .with(
            new MovePace(
                pace.ticksOver(),
                minWeight,
                pace.movesAtOnce(),
                reverseBan,
                budgetShare,
                pace.minBudget(),
                pace.budgetSpan(),
                quiet,
                pace.visibleAfter(),
                pace.newShare(),
                pace.shortageAgain(),
                pace.confirmationTimeout()))
        .with(new RandomPace(selectEvery, usual.random().scaleInChance()));
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.CONFIGURATION, rule);
    }
  }
}
