package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.RequestNumber;
import io.millrace.platform.http.Requests;

/** Reads what every request of a node carries in its query. Stateless. */
final class NodeRequests {
  private NodeRequests() {}

  /**
   * The request's place among all that its node sent.
   *
   * @throws MillraceException INVALID_REQUEST when it has none
   */
  static RequestNumber number(Context ctx) {
    return new RequestNumber(required(ctx, "incarnation"), required(ctx, "sequence"));
  }

  private static long required(Context ctx, String name) {
    long value = Requests.number(ctx, name, 0, 1, Long.MAX_VALUE);
    if (value == 0) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "a node's request carries incarnation and sequence in its query; "
              + name
              + " is missing");
    }
    return value;
  }
}
