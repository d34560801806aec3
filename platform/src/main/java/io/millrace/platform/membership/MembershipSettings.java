package io.millrace.platform.membership;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/**
 * How the members of a cluster find one another.
 *
 * @param clusterName members with another name do not join
 * @param host address to bind: loopback, or that of one interface in a private network, because
 *     this port has no authentication
 * @param port 0 for the first free port from 5701
 * @param members {@code host:port} of members to join; empty for a cluster that starts here
 * @param publicAddress {@code host:port} at which others reach this member, if different from where
 *     it binds, for instance behind a proxy or a forwarded port
 */
public record MembershipSettings(
    String clusterName,
    String host,
    int port,
    List<String> members,
    Optional<String> publicAddress) {
  private static final String FIX =
      "use 127.0.0.1, or the address of one interface in a private network (10.0.0.0/8,"
          + " 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, fc00::/7, fe80::/10)";

  public MembershipSettings {
    members = List.copyOf(members);
    publicAddress.ifPresent(MembershipSettings::requireHostAndPort);
    bindAddress(host);
  }

  /** A member that is reached at the address to which it binds. */
  public MembershipSettings(String clusterName, String host, int port, List<String> members) {
    this(clusterName, host, port, members, Optional.empty());
  }

  public static MembershipSettings defaults() {
    return new MembershipSettings("millrace", "127.0.0.1", 0, List.of());
  }

  /** The address to bind. Blocks if the host is a name. */
  InetAddress bindAddress() {
    return bindAddress(host);
  }

  /** The address of the host, once all addresses of its name have been found to be permitted. */
  private static InetAddress bindAddress(String host) {
    // Java resolves an empty name to loopback; Hazelcast knows patterns of addresses.
    if (host.isBlank() || host.contains("*")) {
      throw refused("'" + host + "'", "is not one address");
    }
    try {
      InetAddress[] found = InetAddress.getAllByName(host);
      for (InetAddress address : found) {
        if (address.isAnyLocalAddress()) {
          throw refused(host, "is every interface of this machine");
        }
        if (!isPrivate(address)) {
          throw refused(host, "is %s, a public address".formatted(address.getHostAddress()));
        }
      }
      return found[0];
    } catch (UnknownHostException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "membership.host: '%s' is not an address; %s".formatted(host, FIX),
          e);
    }
  }

  private static boolean isPrivate(InetAddress address) {
    byte[] bytes = address.getAddress();
    boolean uniqueLocal = bytes.length == 16 && (bytes[0] & 0xfe) == 0xfc;
    return address.isLoopbackAddress()
        || address.isSiteLocalAddress()
        || address.isLinkLocalAddress()
        || uniqueLocal;
  }

  private static MillraceException refused(String host, String what) {
    return new MillraceException(
        ErrorCode.CONFIGURATION,
        "membership.host: %s %s, and this port has no authentication; %s"
            .formatted(host, what, FIX));
  }

  /** These settings with another public address; null for the address to which it binds. */
  public MembershipSettings reachedAt(String address) {
    return new MembershipSettings(clusterName, host, port, members, Optional.ofNullable(address));
  }

  /**
   * These settings with another address to bind.
   *
   * @throws MillraceException CONFIGURATION if it is neither loopback nor in a private network
   */
  public MembershipSettings boundTo(String address) {
    return new MembershipSettings(clusterName, address, port, members, publicAddress);
  }

  private static void requireHostAndPort(String address) {
    try {
      URI parsed = URI.create("tcp://" + address);
      if (parsed.getHost() != null && parsed.getPort() > 0) {
        return;
      }
    } catch (IllegalArgumentException e) {
      // Reported below, like every other wrong form.
    }
    throw new MillraceException(
        ErrorCode.CONFIGURATION, "publicAddress is host:port, not '" + address + "'");
  }
}
