package io.millrace.platform.identity;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import java.util.UUID;

/**
 * The identity of a node, fixed when it joins: it can act in no other role and for no other node.
 *
 * @param role queue node, load balancer or execution node
 * @param name unique in the cluster
 * @param id never changes; rows of the database refer to it
 */
public record NodeIdentity(Role role, String name, UUID id) {
  /** The audience of calls to any central manager. */
  public static final String CENTRAL = "central-manager";

  public NodeIdentity {
    if (!role.isNode()) {
      throw new IllegalArgumentException(role.label() + " is not a role of nodes");
    }
    Names.require("name", name, ErrorCode.INVALID_REQUEST);
  }

  /** The refusal of a node whose identity was withdrawn. */
  public static MillraceException withdrawn(Role role, String name, UUID id) {
    return new MillraceException(
        ErrorCode.FORBIDDEN,
        "the identity %s of %s %s was withdrawn; to use the node again, delete its files node.identity and node-id, and join again with a token of 'millrace token join' (on a machine with the cluster's key, cluster.key, only restart it)"
            .formatted(id, role.label(), name));
  }

  /** The audience of calls to this node: a call for another audience is refused. */
  public String audience() {
    return audience(role, name);
  }

  /** The audience of calls to a node. Names contain no slash, so that it never equals another. */
  public static String audience(Role role, String name) {
    return role.label() + "/" + name;
  }
}
