package io.millrace.tests.drill.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.random.RandomGenerator;

/**
 * Gives ports that stay free while nobody listens on them: below those that the system gives to
 * outgoing connections. One thread only.
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
        // The next one, then.
      }
    }
  }
}
