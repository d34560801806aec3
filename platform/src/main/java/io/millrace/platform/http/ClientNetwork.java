package io.millrace.platform.http;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * What counts as one client in limits: an IPv4 address, or the network of 64 bits that an IPv6
 * address belongs to, because every machine has all addresses of such a network. Immutable.
 *
 * @param address the IPv4 address, or the first address of the IPv6 network
 */
record ClientNetwork(InetAddress address) {
  private static final int PREFIX_BYTES = 8;

  /** The network of an address. */
  static ClientNetwork of(InetAddress address) {
    if (!(address instanceof Inet6Address) || address.isLoopbackAddress()) {
      return new ClientNetwork(address);
    }
    byte[] prefix = Arrays.copyOf(address.getAddress(), PREFIX_BYTES);
    try {
      return new ClientNetwork(InetAddress.getByAddress(Arrays.copyOf(prefix, 2 * PREFIX_BYTES)));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("every IPv6 address has 16 bytes", e);
    }
  }

  /** The address as text, with {@code /64} for a network. */
  @Override
  public String toString() {
    String text = address.getHostAddress();
    return address instanceof Inet6Address && !address.isLoopbackAddress() ? text + "/64" : text;
  }
}
