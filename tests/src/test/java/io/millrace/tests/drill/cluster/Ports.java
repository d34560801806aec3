package io.millrace.tests.drill.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Allocates ports that remain free while unused: below those that the system uses for outgoing
 * connections, and from blocks that no other test process takes. Not thread-safe.
 */
public final class Ports {
  private static final int FIRST = 20_000;
  private static final int BLOCKS = 100;
  private static final int BLOCK = 100;

  // Who listens on the first port of a block owns the block, until the test process ends: two test
  // processes run at a time, and a port that one of them has found free would be free for the
  // other too until a server listens on it.
  private static final List<ServerSocket> OWNED = new ArrayList<>();

  private final RandomGenerator random;
  private int next;
  private int end;

  public Ports(RandomGenerator random) {
    this.random = random;
  }

  public int free() {
    while (true) {
      if (next == end) {
        ownBlock();
      }
      int port = next++;
      try (ServerSocket socket = listen(port)) {
        return socket.getLocalPort();
      } catch (IOException taken) {
        // In use: try the next one.
      }
    }
  }

  private void ownBlock() {
    int start = random.nextInt(BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
      int first = FIRST + (start + i) % BLOCKS * BLOCK;
      try {
        ServerSocket owned = listen(first);
        synchronized (OWNED) {
          OWNED.add(owned);
        }
        next = first + 1;
        end = first + BLOCK;
        return;
      } catch (IOException taken) {
        // Another process owns the block, or uses its first port: try the next one.
      }
    }
    throw new IllegalStateException("each block of ports is taken");
  }

  private static ServerSocket listen(int port) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
  }
}
