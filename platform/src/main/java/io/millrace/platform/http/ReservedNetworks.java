package io.millrace.platform.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Decides which addresses may lead to this machine or to a private network, from the registries of
 * special-purpose addresses (RFC 6890). An IPv6 address is public only inside the global unicast
 * range, so that addresses that contain IPv4 addresses (mapped, compatible, NAT64) are reserved.
 */
final class ReservedNetworks {
  private static final Network GLOBAL_UNICAST = Network.of("2000::/3");

  private static final List<Network> RESERVED =
      Stream.of(
              "0.0.0.0/8",
              "10.0.0.0/8",
              "100.64.0.0/10",
              "127.0.0.0/8",
              "169.254.0.0/16",
              "172.16.0.0/12",
              "192.0.0.0/24",
              "192.0.2.0/24",
              "192.88.99.0/24",
              "192.168.0.0/16",
              "198.18.0.0/15",
              "198.51.100.0/24",
              "203.0.113.0/24",
              // Multicast, future use and broadcast.
              "224.0.0.0/3",
              // Protocol assignments with Teredo, documentation, 6to4.
              "2001::/23",
              "2001:db8::/32",
              "2002::/16",
              "3fff::/20")
          .map(Network::of)
          .toList();

  /** Four numbers up to 255: anything else might be looked up as a name. */
  private static final Pattern DOTTED =
      Pattern.compile("(N)(\\.(N)){3}".replace("N", "25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9]"));

  private ReservedNetworks() {}

  /** The address of a URL's host that is written as one; empty for a name. Looks up nothing. */
  static Optional<InetAddress> literal(String host) {
    boolean six = host.startsWith("[");
    if (!six && !DOTTED.matcher(host).matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(InetAddress.getByName(six ? host.substring(1, host.length() - 1) : host));
    } catch (UnknownHostException e) {
      return Optional.empty();
    }
  }

  static boolean contain(InetAddress address) {
    byte[] bytes = address.getAddress();
    boolean global = bytes.length == 4 || GLOBAL_UNICAST.contains(bytes);
    return !global || RESERVED.stream().anyMatch(network -> network.contains(bytes));
  }

  /** A range of addresses. */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  private record Network(byte[] first, int bits) {
    static Network of(String text) {
      int slash = text.indexOf('/');
      return new Network(
          literal(text.substring(0, slash)), Integer.parseInt(text.substring(slash + 1)));
    }

    boolean contains(byte[] address) {
      if (address.length != first.length) {
        return false;
      }
      for (int bit = 0; bit < bits; bit++) {
        int mask = 0x80 >> (bit % 8);
        if ((address[bit / 8] & mask) != (first[bit / 8] & mask)) {
          return false;
        }
      }
      return true;
    }

    private static byte[] literal(String address) {
      try {
        // A literal address is not looked up.
        return InetAddress.getByName(address).getAddress();
      } catch (UnknownHostException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
