package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.RequestNumber;
import io.millrace.platform.http.Requests;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;

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

  /**
   * Restricts a node that joined with its own token to its own name. The node token in the central
   * manager's directory, which everybody who can read it shares, is valid for every name.
   */
  static final class NodeBinding {
    private NodeBinding() {}

    /** Whether the caller's token is that of one node. */
    static boolean binds(Principal caller) {
      return caller.role() == Role.NODE && !caller.subject().equals(Role.NODE.label());
    }

    static void check(Principal caller, String name) {
      if (binds(caller) && !caller.subject().equals(name)) {
        throw new MillraceException(
            ErrorCode.FORBIDDEN,
            "this token belongs to node %s and is not valid for %s; use the name of the token, or join the node again"
                .formatted(caller.subject(), name));
      }
    }
  }
}
