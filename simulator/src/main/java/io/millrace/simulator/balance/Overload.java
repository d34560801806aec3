package io.millrace.simulator.balance;

/** One node's time in TOOBUSY, from entering until leaving it. Not thread-safe. */
final class Overload {
  private int rounds;
  private int hitAt;

  /** A selection was carried out; the cause is the queue that brought most events. */
  void round(boolean movedTheCause) {
    rounds++;
    if (movedTheCause && hitAt == 0) {
      hitAt = rounds;
    }
  }

  int rounds() {
    return rounds;
  }

  /** At which selection the cause was first moved; 0 while it was not. */
  int hitAt() {
    return hitAt;
  }
}
