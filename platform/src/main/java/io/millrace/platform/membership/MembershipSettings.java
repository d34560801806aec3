package io.millrace.platform.membership;

import java.util.List;

/**
 * How the members of a cluster find one another.
 *
 * @param clusterName members of other names are strangers
 * @param host address to bind; loopback or a private interface, for this port has no authentication
 * @param port 0 for the first free one from 5701
 * @param members {@code host:port} of others to join; none for a cluster that starts here
 */
public record MembershipSettings(String clusterName, String host, int port, List<String> members) {
  public MembershipSettings {
    members = List.copyOf(members);
  }

  public static MembershipSettings defaults() {
    return new MembershipSettings("millrace", "127.0.0.1", 0, List.of());
  }
}
