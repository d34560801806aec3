package io.millrace.manager.job;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.Set;

/** Decides to which web addresses notices are sent. Resolves host names, and so may block. */
final class WebhookAddress {
  private static final Set<String> SCHEMES = Set.of("http", "https");
  private static final int UNIQUE_LOCAL = 0xfc;
  private static final int SHARED_FIRST = 100;

  private WebhookAddress() {}

  /** Why the address is refused; empty if it is allowed. */
  static Optional<String> refusal(URI address, boolean privateAddresses) {
    if (address.getScheme() == null || !SCHEMES.contains(address.getScheme())) {
      return Optional.of("only http and https addresses are allowed");
    }
    if (address.getHost() == null || address.getUserInfo() != null) {
      return Optional.of("the address contains no host, or contains a user");
    }
    try {
      for (InetAddress host : InetAddress.getAllByName(address.getHost())) {
        if (!privateAddresses && isPrivate(host)) {
          return Optional.of(
              "%s is %s, a private address; set notifications.privateAddresses of the central managers to allow it"
                  .formatted(address.getHost(), host.getHostAddress()));
        }
      }
      return Optional.empty();
    } catch (UnknownHostException e) {
      return Optional.of("unknown host " + address.getHost());
    }
  }

  private static boolean isPrivate(InetAddress host) {
    byte[] bytes = host.getAddress();
    boolean uniqueLocal = host instanceof Inet6Address && (bytes[0] & 0xfe) == UNIQUE_LOCAL;
    // 100.64.0.0/10, between providers and their customers, and 0.0.0.0/8.
    boolean shared = bytes.length == 4 && bytes[0] == SHARED_FIRST && (bytes[1] & 0xc0) == 64;
    boolean thisNetwork = bytes.length == 4 && bytes[0] == 0;
    return host.isAnyLocalAddress()
        || host.isLoopbackAddress()
        || host.isLinkLocalAddress()
        || host.isSiteLocalAddress()
        || host.isMulticastAddress()
        || uniqueLocal
        || shared
        || thisNetwork;
  }
}
