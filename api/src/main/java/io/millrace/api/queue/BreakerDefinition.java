package io.millrace.api.queue;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;

/**
 * When a queue's workers count as broken, as after a bad deploy: submitting stops but for a probe
 * now and then, and goes on by itself when probes succeed.
 *
 * @param runs how many of the last runs are looked at; 0 for 20
 * @param share of them that must have failed, on distinct events; 0 for a half
 * @param probeEvery time between two probes; null for a minute
 * @param probes how many must succeed in a row; 0 for 3
 * @param off whether submitting never stops
 */
public record BreakerDefinition(
    int runs, double share, Duration probeEvery, int probes, boolean off) {
  /** What a queue gets that says nothing about it. */
  public static final BreakerDefinition DEFAULT = new BreakerDefinition(0, 0, null, 0, false);

  public BreakerDefinition {
    runs = runs == 0 ? 20 : runs;
    share = share == 0 ? 0.5 : share;
    probeEvery = probeEvery == null ? Duration.ofMinutes(1) : probeEvery;
    probes = probes == 0 ? 3 : probes;
    require(runs >= 2 && runs <= 1000, "pacing.breaker.runs is 2 to 1000");
    require(share > 0 && share <= 1, "pacing.breaker.share is above 0 and at most 1");
    require(
        probeEvery.compareTo(Duration.ofSeconds(1)) >= 0,
        "pacing.breaker.probeEvery is at least 1s");
    require(probes > 0 && probes <= 100, "pacing.breaker.probes is 1 to 100");
  }

  /** How many of the runs must have failed. */
  public int failures() {
    return (int) Math.max(1, Math.ceil(runs * share));
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
    }
  }
}
