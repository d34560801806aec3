package io.millrace.loadbalancer.node;

import io.millrace.platform.http.WebSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * The settings of a load balancer.
 *
 * @param name unique in the cluster
 * @param dataDirectory holds its id and the last topology
 * @param web where it listens
 * @param managers the central managers, any of which is asked
 * @param publicKeyFile verifies the tokens of producers
 * @param tokenFile its own token, of the role node
 */
public record LoadBalancerSettings(
    String name,
    Path dataDirectory,
    WebSettings web,
    List<URI> managers,
    Path publicKeyFile,
    Path tokenFile) {
  public LoadBalancerSettings {
    managers = List.copyOf(managers);
  }

  /** Everything but names, folders and addresses. */
  public static LoadBalancerSettings defaults() {
    return new LoadBalancerSettings(
        "lb1",
        Path.of("data/lb1"),
        WebSettings.loopback(7701),
        List.of(URI.create("http://127.0.0.1:7700")),
        Path.of("data/tokens/cluster.pub"),
        Path.of("data/tokens/node.token"));
  }
}
