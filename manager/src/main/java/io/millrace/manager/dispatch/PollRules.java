package io.millrace.manager.dispatch;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.PollAnswer.PollRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/** What a poll must say and may not. Pure. */
final class PollRules {
  // More than the slots that a node may have, built-in programs and ends not reported yet included.
  private static final int MOST_HELD = 100_000;
  // A node whose clock lost its time begins in 1970, and works.
  private static final Duration FURTHEST_OFF = Duration.ofDays(100 * 365);

  private PollRules() {}

  /**
   * Refuses a poll that nothing can be made of.
   *
   * @throws MillraceException INVALID_REQUEST
   */
  static void check(PollRequest request) {
    if (request == null || request.held() == null) {
      throw refuse("held: a poll lists the attempts that the node holds, which may be none");
    }
    if (request.held().size() > MOST_HELD) {
      throw refuse("held: at most " + MOST_HELD + " attempts, not " + request.held().size());
    }
    if (request.held().stream().anyMatch(Objects::isNull)) {
      throw refuse("held: null is no attempt");
    }
  }

  /**
   * The clock of the node minus the database's.
   *
   * @throws MillraceException INVALID_REQUEST when it is so far off that it shows no time at all
   */
  static long offsetMillis(Instant database, Instant node) {
    Duration offset = Duration.between(database, node);
    if (offset.abs().compareTo(FURTHEST_OFF) > 0) {
      throw refuse(
          "clock: that of the node shows %s, the database's %s; correct whichever is wrong"
              .formatted(node, database));
    }
    return offset.toMillis();
  }

  private static MillraceException refuse(String words) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, words);
  }
}
