package io.millrace.tests.drill.network;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * When a link last carried work to its server, such as a statement that changes a job or a request
 * with events. Thread-safe.
 */
public final class Traffic {
  /** For a link without measurement. */
  static final Traffic NONE = new Traffic(List.of());

  private static final long NEVER = Long.MIN_VALUE;

  private final List<String> words;
  private final AtomicLong last = new AtomicLong(NEVER);

  /**
   * Traffic without work so far.
   *
   * @param words texts in lower case that indicate work; matching ignores case
   */
  public Traffic(List<String> words) {
    this.words = List.copyOf(words);
  }

  /** Inspects text, of which that many first characters were inspected before. */
  void seen(String text, int old) {
    if (words.isEmpty()) {
      return;
    }
    // A statement may continue on another line.
    String lower = text.toLowerCase(Locale.ROOT).replace('\n', ' ');
    for (String word : words) {
      if (lower.indexOf(word, Math.max(0, old - word.length() + 1)) >= 0) {
        last.set(System.nanoTime());
        return;
      }
    }
  }

  /** Whether work has passed within that time. */
  public boolean within(Duration time) {
    long seen = last.get();
    return seen != NEVER && System.nanoTime() - seen <= time.toNanos();
  }
}
