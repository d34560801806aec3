package io.millrace.tests.drill.network;

import java.time.Duration;

/** Passes the bytes of one direction immediately or slowly, or holds them. Thread-safe. */
final class FlowControl {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private boolean open = true;
  private Duration latency = Duration.ZERO;
  private long bytesPerSecond = Long.MAX_VALUE;

  synchronized void set(boolean nowOpen) {
    open = nowOpen;
    notifyAll();
  }

  /** From now on each chunk takes that latency plus its size divided by that rate. */
  synchronized void slow(Duration nowLatency, long nowBytesPerSecond) {
    latency = nowLatency;
    bytesPerSecond = nowBytesPerSecond;
  }

  /** Removes the delay; data in transit arrives immediately. */
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

  /** Waits for the time that this many bytes are in transit. */
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
