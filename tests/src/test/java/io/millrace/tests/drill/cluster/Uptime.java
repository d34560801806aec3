package io.millrace.tests.drill.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Seconds since the machine was booted, in hundredths: the clock that the journals of jobs and the
 * drill share and that no fault steps. Thread-safe.
 */
public final class Uptime {
  private static final Path FILE = Path.of("/proc/uptime");

  private Uptime() {}

  /** Now. */
  public static double now() {
    try {
      String text = Files.readString(FILE);
      return Double.parseDouble(text.substring(0, text.indexOf(' ')));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
