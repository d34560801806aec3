package io.millrace.api.workflow;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;

/**
 * When no further steps of a template are started because its program fails everywhere; {@code off}
 * for never.
 *
 * @param failures the least number of steps that must have failed; 0 for 10. Twice as many of the
 *     last steps are considered
 * @param share of those that must have failed; 0 for 0.9
 * @param off whether steps are started whatever happens
 */
public record BreakerRule(int failures, double share, boolean off) {
  /** The usual one. */
  public static final BreakerRule DEFAULT = new BreakerRule(0, 0, false);

  private static final String OFF = "off";
  private static final int MOST = 1000;

  public BreakerRule {
    failures = failures == 0 ? 10 : failures;
    share = share == 0 ? 0.9 : share;
    require(failures >= 2 && failures <= MOST, "breaker.failures must be from 2 to " + MOST);
    require(share > 0 && share <= 1, "breaker.share must be above 0 and at most 1");
  }

  /** The word {@code off}. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static BreakerRule of(String word) {
    require(OFF.equals(word), "breaker: write off, or failures and share");
    return new BreakerRule(0, 0, true);
  }

  @JsonCreator(mode = JsonCreator.Mode.PROPERTIES)
  static BreakerRule of(
      @JsonProperty("failures") int failures,
      @JsonProperty("share") double share,
      @JsonProperty("off") boolean off) {
    return new BreakerRule(failures, share, off);
  }

  /** How many of the last steps are considered. */
  public int window() {
    return 2 * failures;
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
    }
  }
}
