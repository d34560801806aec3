package io.millrace.bench.queue;

import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/** 4 KiB writes per second of the disk when each is forced: the reference of a run. */
final class ForcedWrites {
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(1);
  private static final int PAGE = 4_096;
  private static final int PAGES = 4_096;

  private ForcedWrites() {}

  static long perSecond(Path folder, Clock clock) throws IOException {
    Path file = folder.resolve("forced-writes");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      // The file has its full size before, so that a write changes only its page.
      channel.write(ByteBuffer.allocate(PAGE * PAGES), 0);
      channel.force(true);
      long begin = clock.nanoTime();
      long writes = 0;
      while (clock.nanoTime() - begin < LONG_ENOUGH.toNanos()) {
        channel.write(ByteBuffer.allocate(PAGE), (writes % PAGES) * PAGE);
        channel.force(false);
        writes++;
      }
      return Math.round(writes * 1e9 / (clock.nanoTime() - begin));
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
