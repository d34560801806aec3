package io.millrace.platform.http;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * What one client network holds of a server: connections, threads, and bodies that are arriving on
 * open routes. Thread-safe.
 */
final class Client {
  private final ClientNetwork network;
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger threads = new AtomicInteger();
  private final AtomicInteger strangers = new AtomicInteger();
  private final AtomicInteger bodies = new AtomicInteger();

  Client(ClientNetwork network) {
    this.network = network;
  }

  /** Its address or network. */
  ClientNetwork network() {
    return network;
  }

  /** Its name in messages. */
  String name() {
    return network.toString();
  }

  /** Open connections. */
  AtomicInteger connections() {
    return connections;
  }

  /** Threads that serve its requests. */
  AtomicInteger threads() {
    return threads;
  }

  /** The threads among them that serve callers without valid credentials. */
  AtomicInteger strangers() {
    return strangers;
  }

  /** Its bodies that are arriving on open routes. */
  AtomicInteger bodies() {
    return bodies;
  }

  /** Adds one unless there are that many already; never blocks. */
  static boolean enter(AtomicInteger count, int max) {
    if (count.incrementAndGet() <= max) {
      return true;
    }
    count.decrementAndGet();
    return false;
  }
}
