package io.millrace.api.client;

import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Several equivalent servers; the one that answered last is asked first. Thread-safe. */
public final class Endpoints {
  private final List<URI> servers;
  private final AtomicInteger preferred = new AtomicInteger();

  public Endpoints(List<URI> servers) {
    if (servers.isEmpty()) {
      throw new IllegalArgumentException("no server to ask");
    }
    this.servers = List.copyOf(servers);
  }

  /** The number of servers. */
  public int size() {
    return servers.size();
  }

  /** The server to ask next. */
  public URI current() {
    return servers.get(Math.floorMod(preferred.get(), servers.size()));
  }

  /**
   * Switches from a server that did not answer to the next, unless another thread has already done
   * so.
   */
  public void turnFrom(URI failed) {
    int now = preferred.get();
    if (servers.get(Math.floorMod(now, servers.size())).equals(failed)) {
      preferred.compareAndSet(now, now + 1);
    }
  }
}
