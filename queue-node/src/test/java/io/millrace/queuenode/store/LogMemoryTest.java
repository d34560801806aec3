package io.millrace.queuenode.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.queuenode.store.log.Disk.ChannelDisk;
import io.millrace.queuenode.store.log.EventLog.LogSettings;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a backlog takes of the heap; {@link LogMemory} measures a larger one. */
class LogMemoryTest {
  private static final int EVENTS = 400_000;
  private static final int QUEUES = 5;
  private static final int NAMES = 100_000;
  private static final long RECENT = 16L << 20;

  @TempDir Path folder;

  @Test
  void aWaitingEventTakesAboutTwoBytesHoweverLargeItIs() throws IOException {
    long before = LogMemory.used();
    try (LogRows rows =
        new LogRows(StoreFolder.lock(folder), new ChannelDisk(), LogSettings.in(folder), NAMES)) {
      LogMemory.fill(rows, EVENTS, QUEUES);

      // In addition a fixed number of the latest events is kept in full.
      assertThat(LogMemory.used() - before).isLessThan(2L * EVENTS + RECENT);
      assertThat(rows.ready(1, null, EVENTS)).hasSize(EVENTS / QUEUES);
    }
  }
}
