package io.millrace.queuenode.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.Clock;
import io.millrace.queuenode.store.log.Disk;
import io.millrace.queuenode.store.log.Disk.ChannelDisk;
import io.millrace.queuenode.store.log.EventLog.LogSettings;
import java.io.IOException;
import java.nio.file.Path;

/** Opens segment stores in append-only logs. */
public final class LogSegmentStore {
  private static final String DATABASE = ".mv.db";
  private static final String LOG = ".log";

  private LogSegmentStore() {}

  /**
   * Opens the store in the folder, or creates an empty one. Blocks.
   *
   * @param rememberedBatches the most batch names remembered
   * @throws MillraceException STORE_FAILURE if another process has it open, or if it cannot be read
   *     or is damaged; its files are not changed
   */
  public static SegmentStore open(Path folder, int rememberedBatches, Clock clock) {
    Path absolute = folder.toAbsolutePath();
    return open(new ChannelDisk(), LogSettings.in(absolute), rememberedBatches, clock);
  }

  /** The same with the default number of batch names for this process's heap. */
  public static SegmentStore open(Path folder, Clock clock) {
    return open(folder, SegmentStore.defaultRememberedBatches(), clock);
  }

  static SegmentStore open(Disk disk, LogSettings settings, int rememberedBatches, Clock clock) {
    StoreFolder held = StoreFolder.lock(settings.folder());
    try {
      requireNoOther(disk, held);
      return store(new LogRows(held, disk, settings, rememberedBatches), held, clock);
    } catch (IOException e) {
      MillraceException failure =
          new MillraceException(
              ErrorCode.STORE_FAILURE,
              "the store in " + settings.folder() + " cannot be read: " + e + "; check the disk",
              e);
      held.close();
      throw failure;
    } catch (RuntimeException e) {
      held.close();
      throw e;
    }
  }

  private static SegmentStore store(LogRows rows, StoreFolder folder, Clock clock) {
    try {
      SegmentStore store = new RowSegmentStore(rows, clock);
      folder.mark("This folder holds the events of a queue node, in a log.\n");
      return store;
    } catch (RuntimeException e) {
      rows.close();
      throw e;
    }
  }

  /** Existing content must not be mistaken for an empty store. */
  private static void requireNoOther(Disk disk, StoreFolder folder) throws IOException {
    boolean anyLog = false;
    for (String name : disk.names(folder.path())) {
      if (name.endsWith(DATABASE)) {
        throw new MillraceException(
            ErrorCode.STORE_FAILURE,
            "the folder "
                + folder.path()
                + " holds the events of an H2 store ("
                + name
                + "); let an earlier version deliver them, or move the folder away to start with"
                + " an empty store");
      }
      anyLog |= name.endsWith(LOG);
    }
    if (!anyLog && folder.isMarked()) {
      throw new MillraceException(
          ErrorCode.STORE_FAILURE,
          "the store in "
              + folder.path()
              + " was opened before but its files are missing; restore them, or move the"
              + " folder away to start with an empty store");
    }
  }
}
