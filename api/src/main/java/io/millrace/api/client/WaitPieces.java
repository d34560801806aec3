package io.millrace.api.client;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;

/** Long waits for an end: servers answer earlier, and the call is repeated. */
final class WaitPieces {
  /** Less than a server waits, and less than proxies let connections be idle. */
  static final Duration LONGEST = Duration.ofSeconds(30);

  private WaitPieces() {}

  /**
   * The first answer with the end, or the last one.
   *
   * @param limit how long to wait in all; shorter if servers answer early, as they do when they
   *     stop, because the number of calls is that of the pieces
   * @param call waits up to the given time
   */
  static <T> T until(Predicate<T> ended, Duration limit, Function<Duration, T> call) {
    Duration left = limit;
    T answer = call.apply(shorter(left));
    while (!ended.test(answer) && left.compareTo(LONGEST) > 0) {
      left = left.minus(LONGEST);
      answer = call.apply(shorter(left));
    }
    return answer;
  }

  private static Duration shorter(Duration left) {
    return left.compareTo(LONGEST) < 0 ? left : LONGEST;
  }
}
