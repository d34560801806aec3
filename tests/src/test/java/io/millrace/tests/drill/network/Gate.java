package io.millrace.tests.drill.network;

/** Lets bytes of one direction pass, or holds them. Thread-safe. */
final class Gate {
  private boolean open = true;

  synchronized void set(boolean nowOpen) {
    open = nowOpen;
    notifyAll();
  }

  /** Waits until it is open. */
  synchronized void pass() throws InterruptedException {
    while (!open) {
      wait();
    }
  }
}
