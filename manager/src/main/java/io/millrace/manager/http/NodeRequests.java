package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.MillraceException;
import io.millrace.api.node.RequestNumber;
import io.millrace.platform.http.Requests;
import io.millrace.platform.openapi.RequestParameter;

/** Reads the parameters common to all requests of nodes. Stateless. */
final class NodeRequests {
  static final RequestParameter<Long> INCARNATION =
      RequestParameter.optionalNumber(
              "incarnation", "rises with each start of the node's process", 1, Long.MAX_VALUE)
          .demanded();
  static final RequestParameter<Long> SEQUENCE =
      RequestParameter.optionalNumber(
              "sequence", "counts the requests of the node from 1", 1, Long.MAX_VALUE)
          .demanded();

  private NodeRequests() {}

  /**
   * The number of the request among all requests of its node.
   *
   * @throws MillraceException INVALID_REQUEST if it is missing
   */
  static RequestNumber number(Context ctx) {
    return new RequestNumber(Requests.value(ctx, INCARNATION), Requests.value(ctx, SEQUENCE));
  }
}
