package io.millrace.manager.http;

import io.millrace.platform.openapi.RequestParameter;

/** Parameters that routes of several files have. */
final class CommonParameters {
  static final RequestParameter<String> QUEUE =
      RequestParameter.pathText("queue", "the queue's name");

  /** Null for all. */
  static final RequestParameter<String> NODE =
      RequestParameter.text("node", "only what concerns this node, by name");

  private CommonParameters() {}

  /** The most entries of a list. */
  static RequestParameter<Long> limit(int usual, int most) {
    return RequestParameter.number("limit", "the most entries to list", usual, 1, most);
  }
}
