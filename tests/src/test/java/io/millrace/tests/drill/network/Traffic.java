package io.millrace.tests.drill.network;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * When a link last carried something to its server that means work, such as a statement that
 * changes a job or a request with events. Thread-safe.
 */
public final class Traffic {
  /** Of a link that nobody measures. */
  static final Traffic NONE = new Traffic(List.of());

  private static final long NEVER = Long.MIN_VALUE;

  private final List<String> words;
  private final AtomicLong last = new AtomicLong(NEVER);

  /**
   * Nothing seen so far.
   *
   * @param words in lower case; each of them means work, in whatever case it passes
   */
  public Traffic(List<String> words) {
    this.words = List.copyOf(words);
  }

  /** Looks at bytes as text, of which the first so many were looked at before. */
  void seen(String text, int old) {
    if (words.isEmpty()) {
      return;
    }
    // A statement may go on in another line.
    String lower = text.toLowerCase(Locale.ROOT).replace('\n', ' ');
    for (String word : words) {
      if (lower.indexOf(word, Math.max(0, old - word.length() + 1)) >= 0) {
        last.set(System.nanoTime());
        return;
      }
    }
  }

  /** Whether work has passed within that time before now. */
  public boolean within(Duration time) {
    long seen = last.get();
    return seen != NEVER && System.nanoTime() - seen <= time.toNanos();
  }
}
