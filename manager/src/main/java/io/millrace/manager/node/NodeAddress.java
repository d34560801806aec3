package io.millrace.manager.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.net.URI;

/** Where nodes are called. Pure. */
public final class NodeAddress {
  private NodeAddress() {}

  /**
   * The address of a path on a node.
   *
   * @param address of the node; null if it is not known
   * @throws MillraceException UNREACHABLE if it is not known
   */
  public static URI of(String node, URI address, String path) {
    if (address == null) {
      throw new MillraceException(
          ErrorCode.UNREACHABLE,
          "node %s has not reported since the central database was restored; start it, or wait until it reports"
              .formatted(node));
    }
    return address.resolve(URI.create(path));
  }
}
