package io.millrace.platform.membership;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How the members of a cluster find one another.
 *
 * @param clusterName members with another name do not join; empty for a name derived from the
 *     cluster's key
 * @param host address to bind: loopback, or that of one interface in a private network, because
 *     this port has no authentication
 * @param port 0 for the first free port from 5701
 * @param members {@code host:port} of members to join in addition to those that the central
 *     managers name; usually empty
 * @param publicAddress {@code host:port} at which others reach this member, if different from where
 *     it binds, for instance behind a proxy or a forwarded port
 */
public record MembershipSettings(
    Optional<String> clusterName,
    String host,
    int port,
    List<String> members,
    Optional<String> publicAddress) {
  private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");
  private static final int LAST_PORT = 65_535;
  // IPv4, or IPv6 in brackets, which InetAddress does not look up.
  private static final String BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
  private static final Pattern LITERAL =
      Pattern.compile("(?:%1$s\\.){3}%1$s|\\[[0-9a-fA-F:.]+\\]".formatted(BYTE));
  private static final String FIX =
      "use 127.0.0.1, or the address of one interface in a private network (10.0.0.0/8,"
          + " 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, fc00::/7, fe80::/10)";

  public MembershipSettings {
    members = List.copyOf(members);
    publicAddress.ifPresent(MembershipSettings::requireHostAndPort);
    bindAddress(host);
  }

  /** A member of a named cluster that is reached at the address to which it binds. */
  public MembershipSettings(String clusterName, String host, int port, List<String> members) {
    this(Optional.of(clusterName), host, port, members, Optional.empty());
  }

  public static MembershipSettings defaults() {
    return new MembershipSettings(Optional.empty(), "127.0.0.1", 0, List.of(), Optional.empty());
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

  /**
   * Whether this is {@code IP:port} with an address at which members may listen. Never blocks:
   * names are not looked up.
   */
  static boolean isMemberAddress(String address) {
    int colon = address.lastIndexOf(':');
    if (colon < 1 || !PORT.matcher(address.substring(colon + 1)).matches()) {
      return false;
    }
    String host = address.substring(0, colon);
    if (!LITERAL.matcher(host).matches()
        || Integer.parseInt(address.substring(colon + 1)) > LAST_PORT) {
      return false;
    }
    try {
      return isPrivate(InetAddress.getByName(host));
    } catch (UnknownHostException e) {
      return false;
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
