package io.millrace.queuenode.store.log;

import io.millrace.platform.lifecycle.Threads;
import io.millrace.queuenode.store.log.LogFiles.FileChange;
import io.millrace.queuenode.store.log.LogReplay.LogImage;
import io.millrace.queuenode.store.log.LogTail.LogPosition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log: groups of records appended to files, events read by their numbers. All methods except
 * {@link #diskBytes} belong to one thread, which must not be interrupted; a separate thread writes
 * checkpoints and reclaims space.
 */
public final class EventLog {
  private static final Logger LOGGER = LoggerFactory.getLogger(EventLog.class);
  private static final long CLOSE_SECONDS = 60;

  /**
   * Between two checkpoints at least this many times the size of one is written or becomes
   * reclaimable, so that they cost little.
   */
  private static final long CHECKPOINT_SPACING = 4;

  private final LogSettings settings;
  private final Spares spares;
  private final FileMaker maker;
  private final LogKeeper keeper;
  private final LogFiles files;
  private final LogTail tail;
  private final GroupBuffer group;
  private final GroupBuffer seal;
  private final ExecutorService keeping;
  private final AtomicBoolean busy = new AtomicBoolean();
  private final AtomicBoolean failed = new AtomicBoolean();
  private long lastSeq;
  private long appended;
  private long checkpointFrom;
  private long emptied;
  private boolean checkpointWanted;
  private volatile long checkpointBytes;
  private volatile long diskBytes;

  private EventLog(Disk disk, LogSettings settings, LogReplay replay) throws IOException {
    this.settings = settings;
    this.spares = new Spares(disk);
    LogRecovery.RecoveredLog recovered = LogRecovery.open(disk, settings, replay, spares);
    this.maker = new FileMaker(disk, settings, spares);
    this.keeper = new LogKeeper(disk, settings, spares);
    this.files = new LogFiles(recovered.files());
    this.tail = recovered.tail();
    this.group = new GroupBuffer(settings.blockBytes());
    this.seal = new GroupBuffer(settings.blockBytes());
    this.keeping =
        Executors.newSingleThreadExecutor(
            Threads.daemons("log-keeper-" + settings.folder().getFileName()));
    this.lastSeq = replay.lastSeq();
    this.checkpointWanted = files.count() > 1;
    measure();
  }

  /**
   * Opens the log in a folder that only this process uses, or creates it. Blocks.
   *
   * @throws io.millrace.api.MillraceException STORE_FAILURE if it is damaged; nothing is changed
   *     then
   */
  public static EventLog open(Disk disk, LogSettings settings, LogReplay replay)
      throws IOException {
    return new EventLog(disk, settings, replay);
  }

  /** The group that is appended next. */
  public GroupBuffer group() {
    return group;
  }

  /**
   * Appends the group and begins a new one. After a failure the log contains nothing of it, and it
   * is still {@link #group}.
   */
  public void append() throws IOException {
    applyChanges();
    if (!tail.fits(group) || beyondIndex()) {
      roll();
    }
    tail.append(group);
    lastSeq = Math.max(lastSeq, group.lastSeq());
    appended += group.size();
    group.clear();
    measure();
  }

  /** Whether the group's events are too far from those of the file, as after a restoration. */
  private boolean beyondIndex() {
    return group.lastSeq() - tail.file().header().firstSeq() > BlockIndex.WIDTH;
  }

  private void roll() throws IOException {
    long firstSeq = group.marks().isEmpty() ? lastSeq + 1 : group.marks().get(0).firstSeq();
    // The next file's first group comes after the one that seals this file.
    LogFile next = maker.make(tail.file().number() + 1, firstSeq, tail.position().group() + 1);
    seal.clear();
    seal.begin(GroupBuffer.SEAL);
    seal.end();
    try {
      tail.moveTo(next, seal);
    } catch (IOException e) {
      // A broken tail may end with the seal, which promises that the next file is there.
      if (!tail.isBroken()) {
        maker.delete(next, e);
      }
      throw e;
    }
    files.add(next);
    checkpointWanted = true;
  }

  /**
   * Visits events that were appended; the numbers ascend, so that few reads are needed.
   *
   * @throws UnreadableEvents if one cannot be read as it was written
   */
  public void read(long[] ascending, EventVisitor visitor) throws IOException {
    files.read(ascending, visitor);
  }

  /** How many bytes are read for an event, if another one is read too beside which it may lie. */
  public int bytesFor(long seq, long other) throws IOException {
    return files.bytesFor(seq, other);
  }

  /** Records that a live event is finished. */
  public void finished(long seq) {
    LogFile file = files.of(seq);
    file.addLive(-1);
    if (file.live() == 0 && file != tail.file()) {
      checkpointWanted = true;
      emptied += file.length();
    }
  }

  /** Makes everything appended survive a power failure. Waits for the disk. */
  public void force() throws IOException {
    applyChanges();
    tail.force();
  }

  /** Whether a checkpoint can be taken and would free space or shorten the next opening. */
  public boolean checkpointDue() {
    if (busy.get()) {
      return false;
    }
    if (failed.getAndSet(false)) {
      checkpointWanted = true;
      checkpointFrom = appended + settings.fileBytes() / 16;
    }
    return checkpointWanted
        && appended + emptied >= checkpointFrom + CHECKPOINT_SPACING * checkpointBytes;
  }

  /** Writes a checkpoint in the background; everything appended must have been forced. */
  public void checkpoint(LogImage image) throws IOException {
    // Apply what the keeper did before it became idle.
    applyChanges();
    checkpointWanted = false;
    checkpointFrom = appended;
    emptied = 0;
    busy.set(true);
    LogPosition position = tail.position();
    List<LogFile> all = files.all();
    keeping.execute(
        () -> {
          keep(image, position, all);
          busy.set(false);
        });
  }

  private void keep(LogImage image, LogPosition position, List<LogFile> all) {
    try {
      long firstOfTail = all.get(all.size() - 1).header().firstSeq();
      checkpointBytes = keeper.keep(image, position, all, firstOfTail);
    } catch (IOException | RuntimeException e) {
      failed.set(true);
      LOGGER.warn(
          "could not write a checkpoint of {}; retrying later, finished files are kept until then",
          settings.folder(),
          e);
    }
  }

  private void applyChanges() throws IOException {
    FileChange change = keeper.nextChange();
    while (change != null) {
      if (!change.removed().isEmpty()) {
        files.change(change);
        measure();
      }
      if (change.spare() != null) {
        // From now on nothing here reads it.
        spares.release(change.spare());
      }
      change = keeper.nextChange();
    }
  }

  private void measure() {
    diskBytes = files.length();
  }

  /** Size of the log's files. Any thread; never blocks. */
  public long diskBytes() {
    return diskBytes;
  }

  /**
   * Waits for the keeper and closes the files.
   *
   * @param image for a final checkpoint, so that the next opening reads little; null for none
   */
  public void close(LogImage image) throws IOException {
    // An interrupt would close a file during its last write.
    boolean interrupted = Thread.interrupted();
    try {
      closeUninterrupted(image);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void closeUninterrupted(LogImage image) throws IOException {
    keeping.shutdown();
    try (LogFiles closing = files) {
      if (!keeping.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOGGER.warn("the log keeper of {} has not stopped", settings.folder());
        return;
      }
      applyChanges();
      if (image != null) {
        tail.force();
        keep(image, tail.position(), closing.all());
        applyChanges();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Receives events read from the log. */
  @FunctionalInterface
  public interface EventVisitor {
    /**
     * One event.
     *
     * @param common what it shares with its neighbours; positioned at the start for each call
     * @param content its own
     */
    void event(long seq, ByteReader common, ByteReader content) throws IOException;
  }

  /** The unfinished events at one moment. */
  public interface LiveEvents {
    boolean contains(long seq);

    /** How many there are from one number up to but not including another. */
    long count(long fromSeq, long toSeq);
  }

  /**
   * The location and the sizes of a log.
   *
   * @param folder an existing folder, locked by this process
   * @param fileBytes size of one file; a larger group makes a larger file
   * @param blockBytes bytes of events per entry of a file's index in memory, at least
   * @param zeroBytes how far ahead the file is filled with zeros, so that a forced write need not
   *     change the file's metadata
   * @param sparse a finished file is rewritten if the live share of its bytes is below this, 0..1
   */
  public record LogSettings(
      Path folder, int fileBytes, int blockBytes, int zeroBytes, double sparse) {
    /** Files of 64 MiB. */
    public static LogSettings in(Path folder) {
      return new LogSettings(folder, 64 << 20, 4 << 10, 1 << 20, 0.25);
    }

    /** The same with files of another size, for tests. */
    public LogSettings withFiles(int bytes) {
      return new LogSettings(folder, bytes, Math.min(blockBytes, bytes / 8), bytes / 4, sparse);
    }
  }
}
