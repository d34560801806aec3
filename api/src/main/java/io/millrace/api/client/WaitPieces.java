package io.millrace.api.client;

import io.millrace.api.Durations;
import io.millrace.api.client.HttpTransport.HttpCall;
import java.net.URI;
import java.time.Duration;
import java.util.function.Predicate;

/** Long waits for an end: servers answer earlier, and the call is repeated. Thread-safe. */
final class WaitPieces {
  /** Less than a server waits, and less than proxies let connections be idle. */
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private static final Duration MARGIN = Duration.ofSeconds(15);

  private final ApiClient api;

  WaitPieces(ApiClient api) {
    this.api = api;
  }

  /**
   * The first answer with the end, or the last one.
   *
   * @param path that answers when the end has come, or after its parameter {@code timeout}
   * @param limit how long to wait in all; shorter if servers answer early, as they do when they
   *     stop, because the number of calls is that of the pieces
   */
  <T> T until(String path, Class<T> form, Predicate<T> ended, Duration limit) {
    Duration left = limit;
    T answer = call(path, form, left);
    while (!ended.test(answer) && left.compareTo(LONGEST) > 0) {
      left = left.minus(LONGEST);
      answer = call(path, form, left);
    }
    return answer;
  }

  private <T> T call(String path, Class<T> form, Duration left) {
    Duration piece = left.compareTo(LONGEST) < 0 ? left : LONGEST;
    URI uri = URI.create(path + "?timeout=" + ApiClient.encode(Durations.format(piece)));
    return api.send(HttpCall.get(uri).within(piece.plus(MARGIN))).as(form);
  }
}
