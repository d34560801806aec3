package io.millrace.api.client;

import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Several equal servers, of which the one that answered last is asked first. Thread-safe. */
public final class Endpoints {
  private final List<URI> servers;
  private final AtomicInteger preferred = new AtomicInteger();

  public Endpoints(List<URI> servers) {
    if (servers.isEmpty()) {
      throw new IllegalArgumentException("no server to ask");
    }
    this.servers = List.copyOf(servers);
  }

  /** How many servers there are. */
  public int size() {
    return servers.size();
  }

  /** The server to ask now. */
  public URI current() {
    return servers.get(Math.floorMod(preferred.get(), servers.size()));
  }

  /** Turns from a server that did not answer to the next, unless somebody turned already. */
  public void turnFrom(URI failed) {
    int now = preferred.get();
    if (servers.get(Math.floorMod(now, servers.size())).equals(failed)) {
      preferred.compareAndSet(now, now + 1);
    }
  }
}
