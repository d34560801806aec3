package io.millrace.platform.http;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/**
 * A server's address and limits.
 *
 * @param host address to bind
 * @param port 0 for any free port
 * @param allowRemote whether an address other than loopback may be bound
 * @param hostNames host names that clients may use, besides loopback and the host's name
 * @param maxBody the largest request body
 * @param maxConnections the most open connections; further ones are closed
 * @param maxConnectionsPerAddress the most of one client address
 * @param advertised its address for others, if different from where it listens: behind a proxy, a
 *     forwarded port or another name
 */
public record WebSettings(
    String host,
    int port,
    boolean allowRemote,
    List<String> hostNames,
    DataSize maxBody,
    int maxConnections,
    int maxConnectionsPerAddress,
    Optional<URI> advertised) {
  private static final DataSize USUAL_BODY = new DataSize(8L << 20);
  private static final int USUAL_CONNECTIONS = 4096;
  private static final int USUAL_OF_ADDRESS = 1024;

  public WebSettings {
    hostNames = List.copyOf(hostNames);
    if (maxConnections < 1 || maxConnectionsPerAddress < 1) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "maxConnections and maxConnectionsPerAddress must be at least 1");
    }
    if (port < 0 || port > 65_535) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "port must be from 0 to 65535, not " + port);
    }
    if (!allowRemote && !loopback(host)) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "host "
              + host
              + " is not a loopback address: anyone who reaches this port with a token can run"
              + " commands; set allowRemote: true if the network is private");
    }
  }

  /** A server on a loopback port. */
  public static WebSettings loopback(int port) {
    return new WebSettings(
        "127.0.0.1",
        port,
        false,
        List.of(),
        USUAL_BODY,
        USUAL_CONNECTIONS,
        USUAL_OF_ADDRESS,
        Optional.empty());
  }

  public static WebSettings defaults() {
    return loopback(0);
  }

  /** The address at which others reach a server that listens at this address. */
  public URI reachedAt(URI address) {
    return advertised.orElse(address);
  }

  private static boolean loopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "host " + host + " is not an address of this machine", e);
    }
  }
}
