package io.millrace.loadbalancer.node;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.platform.data.NodeSettings;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.membership.MembershipSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The configuration of a load balancer. The first four have no default.
 *
 * @param name unique in the cluster
 * @param dataDirectory for its id and the last topology
 * @param central the central managers, in any order
 * @param publicKeyFile the cluster's public key, which verifies callers' tokens
 * @param identityFile the balancer's identity, from its join; empty for {@code node.identity} in
 *     the data directory, which is created where the cluster's key is beside the public key
 * @param web where it listens
 * @param bodyMemory memory for all bodies held at a time; a request that finds none left waits, and
 *     is refused after ten seconds
 * @param membership the settings of the cluster view
 */
public record LoadBalancerSettings(
    String name,
    Path dataDirectory,
    List<URI> central,
    Path publicKeyFile,
    Optional<Path> identityFile,
    WebSettings web,
    DataSize bodyMemory,
    MembershipSettings membership) {
  private static final int USUAL_PORT = 7701;
  private static final DataSize USUAL_MEMORY = new DataSize(256L << 20);

  public LoadBalancerSettings {
    if (name != null) {
      Names.require("name", name, ErrorCode.CONFIGURATION);
    }
    if (central != null && central.isEmpty()) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "central names at least one central manager");
    }
    central = central == null ? null : List.copyOf(central);
  }

  /** What identifies the balancer. */
  NodeSettings node() {
    return new NodeSettings(name, dataDirectory, central, publicKeyFile, identityFile);
  }

  /** The defaults of everything but names, folders and addresses. */
  public static LoadBalancerSettings defaults() {
    return new LoadBalancerSettings(
        null,
        null,
        null,
        null,
        Optional.empty(),
        WebSettings.loopback(USUAL_PORT),
        USUAL_MEMORY,
        MembershipSettings.defaults());
  }
}
