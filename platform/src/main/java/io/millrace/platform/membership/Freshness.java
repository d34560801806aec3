package io.millrace.platform.membership;

import io.millrace.platform.membership.ClusterView.Entry;
import io.millrace.platform.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Tells how old publications are without comparing clocks of different hosts: each carries a number
 * that rises, and its age counts from when the number was seen to change here. Thread-safe.
 */
final class Freshness {
  private final Clock clock;
  private final Duration staleAfter;
  private final Map<String, Seen> seen = new HashMap<>();

  Freshness(Clock clock, Duration staleAfter) {
    this.clock = clock;
    this.staleAfter = staleAfter;
  }

  /** The fresh ones among the publications, each {@code number:json}. */
  synchronized Map<String, Entry> fresh(Map<String, String> publications) {
    long now = clock.nanoTime();
    seen.keySet().retainAll(publications.keySet());
    Map<String, Entry> fresh = new HashMap<>();
    publications.forEach(
        (key, text) -> {
          int colon = text.indexOf(':');
          String number = text.substring(0, colon);
          Seen last = seen.get(key);
          if (last == null || !last.number.equals(number)) {
            last = new Seen(number, now);
            seen.put(key, last);
          }
          Duration age = Duration.ofNanos(now - last.at);
          if (age.compareTo(staleAfter) < 0) {
            fresh.put(key, new Entry(text.substring(colon + 1), age));
          }
        });
    return fresh;
  }

  private record Seen(String number, long at) {}
}
