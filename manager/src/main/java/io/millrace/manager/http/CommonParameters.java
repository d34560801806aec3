package io.millrace.manager.http;

import io.millrace.platform.openapi.RequestParameter;
import java.time.Duration;

/** Parameters that routes of several files have. */
final class CommonParameters {
  static final RequestParameter<String> QUEUE =
      RequestParameter.pathText("queue", "the queue's name");

  /** Null for all. */
  static final RequestParameter<String> NODE =
      RequestParameter.text("node", "only what concerns this node, by name");

  /**
   * How long a call waits for an end. Whoever waits longer repeats the call, as the end of a client
   * is not noticed while its call waits.
   */
  static final RequestParameter<Duration> END_TIMEOUT =
      RequestParameter.duration(
          "timeout",
          "how long to wait, at most 60s",
          Duration.ofSeconds(30),
          Duration.ofSeconds(60));

  private CommonParameters() {}

  /** The most entries of a list. */
  static RequestParameter<Long> limit(int usual, int most) {
    return RequestParameter.number("limit", "the most entries to list", usual, 1, most);
  }
}
