package io.millrace.loadbalancer.web;

import io.millrace.platform.time.Clock;
import java.security.SecureRandom;
import java.util.Locale;

/** Names for batches of producers that give none: by time, and never twice. Thread-safe. */
public final class BatchNames {
  private static final int RADIX = 36;

  private final Clock clock;
  private final SecureRandom random = new SecureRandom();

  public BatchNames(Clock clock) {
    this.clock = clock;
  }

  public String next() {
    String time = Long.toString(clock.now().toEpochMilli(), RADIX);
    String chance = Long.toUnsignedString(random.nextLong(), RADIX);
    return String.format(Locale.ROOT, "%9s-%13s", time, chance).replace(' ', '0');
  }
}
