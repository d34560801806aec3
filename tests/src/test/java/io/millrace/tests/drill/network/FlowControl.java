package io.millrace.tests.drill.network;

import java.time.Duration;

/** Lets bytes of one direction pass, at once or slowly, or holds them. Thread-safe. */
final class FlowControl {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private boolean open = true;
  private Duration latency = Duration.ZERO;
  private long bytesPerSecond = Long.MAX_VALUE;

  synchronized void set(boolean nowOpen) {
    open = nowOpen;
    notifyAll();
  }

  /** From now on each piece takes that time and its size by that rate. */
  synchronized void slow(Duration nowLatency, long nowBytesPerSecond) {
    latency = nowLatency;
    bytesPerSecond = nowBytesPerSecond;
  }

  /** As quick as the machine again; what is under way arrives at once. */
  synchronized void quick() {
    slow(Duration.ZERO, Long.MAX_VALUE);
    notifyAll();
  }

  /** Waits until it is open. */
  synchronized void pass() throws InterruptedException {
    while (!open) {
      wait();
    }
  }

  /** Waits as long as so many bytes are under way. */
  synchronized void travel(int bytes) throws InterruptedException {
    long began = System.nanoTime();
    while (true) {
      long takes = latency.toNanos() + (long) (bytes * 1e9 / bytesPerSecond);
      long left = (takes - (System.nanoTime() - began)) / NANOS_PER_MILLI;
      if (left <= 0) {
        return;
      }
      wait(left);
    }
  }
}
