package io.millrace.queuenode.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Nanoseconds for which some task of this machine has stalled on a disk since the machine's start,
 * as Linux counts them (pressure stall information); empty if the system does not report it.
 * Thread-safe; reads a small file of the kernel.
 */
final class DiskStalls implements Supplier<OptionalLong> {
  private static final Path KERNEL = Path.of("/proc/pressure/io");
  private static final Pattern SOME =
      Pattern.compile("^some .*\\btotal=(\\d{1,18})$", Pattern.MULTILINE);
  private static final long NANOS_PER_MICRO = 1_000;

  private final Path file;

  public DiskStalls() {
    this(KERNEL);
  }

  DiskStalls(Path file) {
    this.file = file;
  }

  @Override
  public OptionalLong get() {
    try {
      Matcher found = SOME.matcher(Files.readString(file, StandardCharsets.US_ASCII));
      return found.find()
          ? OptionalLong.of(Long.parseLong(found.group(1)) * NANOS_PER_MICRO)
          : OptionalLong.empty();
    } catch (IOException e) {
      // Not Linux, a kernel without these figures, or a container that hides them: no signal.
      return OptionalLong.empty();
    }
  }
}
