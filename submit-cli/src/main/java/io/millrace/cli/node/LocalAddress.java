package io.millrace.cli.node;

import io.millrace.cli.invocation.Refusal;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;

/** Which of this machine's addresses others of the cluster reach. */
final class LocalAddress {
  private static final int ANY_PORT = 9;

  private LocalAddress() {}

  /** The address from which this machine speaks to that server; nothing is sent. */
  static InetAddress towards(URI server) {
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(new InetSocketAddress(InetAddress.getByName(server.getHost()), ANY_PORT));
      return socket.getLocalAddress();
    } catch (IOException | java.io.UncheckedIOException e) {
      throw Refusal.of(
          "ADDRESS",
          "no way leads from here to "
              + server.getHost()
              + " ("
              + e.getMessage()
              + "); name it"
              + " right, or this machine's address with --host");
    }
  }

  /** The address that was named. */
  static InetAddress named(String host) {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw Refusal.of("--host", "'" + host + "' is no address; give one of this machine's");
    }
  }
}
