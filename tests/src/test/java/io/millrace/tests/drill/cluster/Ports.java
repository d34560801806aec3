package io.millrace.tests.drill.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.random.RandomGenerator;

/**
 * Allocates ports that remain free while unused: below those that the system uses for outgoing
 * connections. Not thread-safe.
 */
public final class Ports {
  private static final int FIRST = 20_000;
  private static final int RANGE = 10_000;

  private int next;

  public Ports(RandomGenerator random) {
    this.next = FIRST + random.nextInt(RANGE);
  }

  public int free() {
    while (true) {
      int port = next++;
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException taken) {
        // In use: try the next one.
      }
    }
  }
}
