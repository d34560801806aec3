package io.millrace.manager.http;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;

/**
 * Lets a node that joined with a token of its own speak for its own name only. The node token of
 * the central manager's folder, shared by all who can read it, speaks for every name.
 */
final class NodeBinding {
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
