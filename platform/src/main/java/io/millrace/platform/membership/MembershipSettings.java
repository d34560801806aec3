package io.millrace.platform.membership;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * How the members of a cluster find one another.
 *
 * @param clusterName members with another name do not join
 * @param host address to bind; loopback or a private interface, because this port has no
 *     authentication
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
  public MembershipSettings {
    members = List.copyOf(members);
    publicAddress.ifPresent(MembershipSettings::requireHostAndPort);
  }

  /** A member that is reached at the address to which it binds. */
  public MembershipSettings(String clusterName, String host, int port, List<String> members) {
    this(clusterName, host, port, members, Optional.empty());
  }

  public static MembershipSettings defaults() {
    return new MembershipSettings("millrace", "127.0.0.1", 0, List.of());
  }

  /** These settings with another public address; null for the address to which it binds. */
  public MembershipSettings reachedAt(String address) {
    return new MembershipSettings(clusterName, host, port, members, Optional.ofNullable(address));
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
