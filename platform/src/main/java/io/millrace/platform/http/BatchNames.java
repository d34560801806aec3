package io.millrace.platform.http;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.EventMedia;
import io.millrace.platform.clock.Clock;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.regex.Pattern;

/** Checks the batch names of producers and generates missing ones. Thread-safe. */
public final class BatchNames {
  private static final Pattern FORM = Pattern.compile("[\\x21-\\x7e]{1,100}");
  private static final int RADIX = 36;

  private final Clock clock;
  private final SecureRandom random = new SecureRandom();

  /** Generates names with this clock. */
  public BatchNames(Clock clock) {
    this.clock = clock;
  }

  /**
   * The given name, or for null and blank a new unique one that sorts by time.
   *
   * @throws MillraceException INVALID_REQUEST if the given one is too long or not printable
   */
  public String orNew(String given) {
    if (given == null || given.isBlank()) {
      String time = Long.toString(clock.now().toEpochMilli(), RADIX);
      String chance = Long.toUnsignedString(random.nextLong(), RADIX);
      return String.format(Locale.ROOT, "%9s-%13s", time, chance).replace(' ', '0');
    }
    if (!FORM.matcher(given).matches()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          EventMedia.BATCH_HEADER + " must be 1 to 100 printable ASCII characters without spaces");
    }
    return given;
  }
}
