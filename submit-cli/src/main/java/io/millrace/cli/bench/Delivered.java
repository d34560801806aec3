package io.millrace.cli.bench;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/** Which events were delivered, each by a bit, and how many more than once. Thread-safe. */
final class Delivered {
  private static final int BITS = Integer.SIZE;

  private final AtomicIntegerArray seen;
  private final LongAdder distinct = new LongAdder();
  private final LongAdder duplicates = new LongAdder();

  Delivered(long events) {
    this.seen = new AtomicIntegerArray((int) (events / BITS) + 1);
  }

  void add(long number) {
    int bit = 1 << (int) (number % BITS);
    int before = seen.getAndUpdate((int) (number / BITS), word -> word | bit);
    if ((before & bit) == 0) {
      distinct.increment();
    } else {
      duplicates.increment();
    }
  }

  long distinct() {
    return distinct.sum();
  }

  long duplicates() {
    return duplicates.sum();
  }
}
