package io.millrace.api.partition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Asks which of the resources are assigned to a member.
 *
 * @param member the member's name
 * @param term of its membership
 * @param resources all that it found
 * @param interval how often the group polls, 1 s to 1 day: the assignment is then that of the
 *     beginning of the cycle, so that no share changes within it (C-07, C-08); null for the current
 *     members
 */
public record MineRequest(String member, long term, List<String> resources, Duration interval) {
  private static final Duration MIN = Duration.ofSeconds(1);
  private static final Duration MAX = Duration.ofDays(1);

  public MineRequest {
    require(member != null, "member is missing");
    require(resources != null, "resources is missing: the list of all that was found");
    resources = List.copyOf(resources);
    if (interval != null) {
      checkInterval(interval);
    }
  }

  static void checkInterval(Duration interval) {
    require(
        interval.compareTo(MIN) >= 0 && interval.compareTo(MAX) <= 0,
        "interval must be from 1s to 1d");
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, rule);
    }
  }

  /**
   * The resources that are assigned to a member.
   *
   * @param revision of the group on which the assignment is based
   * @param resources its resources, in the order given
   * @param cycle when the cycle began, by the database's clock; null when no interval was given
   * @param waits whether it joined within the cycle and gets its share from the next one on
   */
  public record MineAnswer(long revision, List<String> resources, Instant cycle, boolean waits) {
    public MineAnswer {
      resources = List.copyOf(resources);
    }
  }
}
