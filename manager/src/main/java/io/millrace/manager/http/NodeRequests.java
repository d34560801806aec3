package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.RequestNumber;
import io.millrace.platform.http.Requests;

/** Reads the parameters common to all requests of nodes. Stateless. */
final class NodeRequests {
  private NodeRequests() {}

  /**
   * The number of the request among all requests of its node.
   *
   * @throws MillraceException INVALID_REQUEST if it is missing
   */
  static RequestNumber number(Context ctx) {
    return new RequestNumber(required(ctx, "incarnation"), required(ctx, "sequence"));
  }

  private static long required(Context ctx, String name) {
    long value = Requests.number(ctx, name, 0, 1, Long.MAX_VALUE);
    if (value == 0) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "requests of nodes need the query parameters incarnation and sequence; %s is missing"
              .formatted(name));
    }
    return value;
  }
}
