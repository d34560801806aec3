package io.millrace.platform.membership;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * How the members of a cluster find one another.
 *
 * @param clusterName members of other names are strangers
 * @param host address to bind; loopback or a private interface, for this port has no authentication
 * @param port 0 for the first free one from 5701
 * @param members {@code host:port} of others to join; none for a cluster that starts here
 * @param publicAddress {@code host:port} by which the others reach this member, when that is not
 *     where it binds, as behind a proxy or a translated port
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

  /** A member that is reached where it binds. */
  public MembershipSettings(String clusterName, String host, int port, List<String> members) {
    this(clusterName, host, port, members, Optional.empty());
  }

  public static MembershipSettings defaults() {
    return new MembershipSettings("millrace", "127.0.0.1", 0, List.of());
  }

  /** The same member, reached by others at another address; null for where it binds. */
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
      // Said below, like every other wrong form.
    }
    throw new MillraceException(
        ErrorCode.CONFIGURATION, "publicAddress is host:port, not '" + address + "'");
  }
}
