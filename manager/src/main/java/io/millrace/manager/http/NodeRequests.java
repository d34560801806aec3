package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.RequestNumber;
import io.millrace.platform.http.Requests;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;

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

  /**
   * Lets a node that joined with a token of its own speak for its own name only. The node token of
   * the central manager's folder, shared by all who can read it, speaks for every name.
   */
  static final class NodeBinding {
    private NodeBinding() {}

    /** Whether the caller's token is that of one node. */
    static boolean binds(Principal caller) {
      return caller.role() == Role.NODE && !caller.subject().equals(Role.NODE.word());
    }

    static void check(Principal caller, String name) {
      if (binds(caller) && !caller.subject().equals(name)) {
        throw new MillraceException(
            ErrorCode.FORBIDDEN,
            "this token is that of node "
                + caller.subject()
                + " and can't speak for "
                + name
                + "; give the node its own name, or join it anew");
      }
    }
  }
}
