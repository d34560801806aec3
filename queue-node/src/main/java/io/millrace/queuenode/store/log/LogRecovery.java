package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.BlockIndex.IndexFiles;
import io.millrace.queuenode.store.log.CheckpointFolder.Checkpoint;
import io.millrace.queuenode.store.log.EventLog.LiveEvents;
import io.millrace.queuenode.store.log.EventLog.LogSettings;
import io.millrace.queuenode.store.log.LogFolder.LogDamage;
import io.millrace.queuenode.store.log.LogTail.LogPosition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a log: the newest checkpoint and the groups after it. Only a torn end is cut; any other
 * damage is rejected before anything is changed. One thread.
 */
final class LogRecovery {
  private static final Logger LOGGER = LoggerFactory.getLogger(LogRecovery.class);

  private final Disk disk;
  private final LogSettings settings;
  private final LogReplay replay;
  private final LogFolder folder;
  private final List<LogFile> files = new ArrayList<>();
  private LogFolder.Found unusedNext;
  private FileScan last;

  private LogRecovery(Disk disk, LogSettings settings, LogReplay replay, LogFolder folder) {
    this.disk = disk;
    this.settings = settings;
    this.replay = replay;
    this.folder = folder;
  }

  /**
   * The result of opening a log.
   *
   * @param files ascending; the last one is the tail's
   */
  record RecoveredLog(List<LogFile> files, LogTail tail) {}

  /** Reads the log, or creates one in an empty folder. */
  static RecoveredLog open(Disk disk, LogSettings settings, LogReplay replay, Spares spares)
      throws IOException {
    CheckpointFolder checkpoints = new CheckpointFolder(disk, settings.folder());
    LogFolder folder = LogFolder.open(disk, settings.folder());
    try {
      if (folder.files().isEmpty() && checkpoints.names().isEmpty()) {
        LogFile first = new FileMaker(disk, settings, spares).make(1, 1, LogPosition.START.group());
        return new RecoveredLog(
            new ArrayList<>(List.of(first)),
            new LogTail(settings, first, FileHeader.BYTES, LogPosition.START.group()));
      }
      LogRecovery recovery = new LogRecovery(disk, settings, replay, folder);
      recovery.read(recovery.choose(checkpoints));
      return recovery.settle(spares);
    } catch (IOException | RuntimeException e) {
      folder.close();
      throw e;
    }
  }

  private Checkpoint choose(CheckpointFolder checkpoints) throws IOException {
    String damaged = "";
    for (String name : checkpoints.names()) {
      Checkpoint checkpoint = Checkpoint.parse(checkpoints.read(name)).orElse(null);
      if (checkpoint != null) {
        return require(checkpoint, damaged);
      }
      damaged += "file " + settings.folder().resolve(name) + " is damaged, and ";
    }
    return require(Checkpoint.NONE, damaged);
  }

  private Checkpoint require(Checkpoint checkpoint, String damaged) {
    String missing = folder.missing(checkpoint);
    if (missing != null) {
      throw LogDamage.of(
          "the log in " + settings.folder() + " is incomplete: " + damaged + missing);
    }
    return checkpoint;
  }

  private void read(Checkpoint checkpoint) throws IOException {
    if (checkpoint.content().hasMore()) {
      replay.image(checkpoint.content());
    }
    LogPosition position = checkpoint.position();
    List<LogFolder.Found> found = folder.files();
    for (int i = 0; i < found.size() && unusedNext == null; i++) {
      LogFolder.Found file = found.get(i);
      LogFolder.Found next = i + 1 < found.size() ? found.get(i + 1) : null;
      if (file.header().number() < position.file()) {
        files.add(finished(file));
        continue;
      }
      FileScan scan = scan(file, position.group());
      files.add(logFile(file, scan.index()));
      if (file.header().number() == position.file() && scan.end() < position.offset()) {
        throw LogDamage.at(file.path(), scan.end(), "a group that was forced to disk is damaged");
      }
      requireEnd(file, scan, next);
      last = scan;
    }
  }

  /** Events of a finished file are verified when they are read. */
  private LogFile finished(LogFolder.Found file) throws IOException {
    BlockIndex known =
        IndexFiles.read(disk, file.header(), file.path(), settings.blockBytes()).orElse(null);
    if (known != null) {
      return logFile(file, known);
    }
    FileScan scan = scan(file, Long.MAX_VALUE);
    if (!scan.sealed()) {
      throw LogDamage.at(
          file.path(), scan.end(), "a group is damaged, and the file's index is missing");
    }
    return logFile(file, scan.index());
  }

  private FileScan scan(LogFolder.Found file, long fromGroup) throws IOException {
    FileScan scan = new FileScan(file.header(), file.file(), settings.blockBytes());
    scan.run(fromGroup, replay);
    return scan;
  }

  private static LogFile logFile(LogFolder.Found file, BlockIndex index) throws IOException {
    return new LogFile(file.header(), file.path(), file.file(), index, file.file().length());
  }

  private void requireEnd(LogFolder.Found file, FileScan scan, LogFolder.Found next)
      throws IOException {
    if (scan.sealed()) {
      if (next == null) {
        String name = LogFile.name(file.header().number() + 1);
        throw LogDamage.of("the log in " + settings.folder() + ": file " + name + " is missing");
      }
      if (next.header().firstGroup() != scan.nextGroup()) {
        throw LogDamage.at(next.path(), 0, "it does not continue file  " + file.path());
      }
      return;
    }
    if (next != null && !isUnusedNext(scan, next)) {
      throw LogDamage.at(file.path(), scan.end(), "a group is damaged, and later ones follow");
    }
    if (scan.rest() == FileScan.Rest.DAMAGED) {
      throw LogDamage.at(file.path(), scan.end(), "a group that was forced to disk is damaged");
    }
    unusedNext = next;
  }

  /** The next file is created before this one is sealed; until then it has no groups. */
  private boolean isUnusedNext(FileScan scan, LogFolder.Found next) throws IOException {
    FileScan ahead = new FileScan(next.header(), next.file(), settings.blockBytes());
    ahead.run(Long.MAX_VALUE, replay);
    return next.header().firstGroup() > scan.nextGroup()
        && ahead.end() == FileHeader.BYTES
        && ahead.rest() == FileScan.Rest.CLEAN;
  }

  /** From here on the log is known to be intact, and may be changed. */
  private RecoveredLog settle(Spares spares) throws IOException {
    LogFile tail = files.get(files.size() - 1);
    if (unusedNext != null) {
      unusedNext.file().close();
      disk.delete(unusedNext.path());
    }
    if (last.rest() == FileScan.Rest.TORN) {
      LOGGER.warn(
          "file {} ends with incomplete groups that were never forced to disk; it is cut at offset"
              + " {}",
          tail.path(),
          last.end());
      wipe(tail, last.end());
    }
    // What a killed process wrote may only be in the page cache.
    tail.file().force();
    for (Path leftover : folder.leftovers()) {
      disk.delete(leftover);
      disk.delete(IndexFiles.of(leftover));
    }
    for (Path spare : folder.spares()) {
      spares.found(spare);
    }
    count();
    return new RecoveredLog(files, new LogTail(settings, tail, last.end(), last.nextGroup()));
  }

  private static void wipe(LogFile file, long from) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocate(1 << 20);
    for (long at = from; at < file.length(); at += zeros.capacity()) {
      zeros.clear().limit((int) Math.min(zeros.capacity(), file.length() - at));
      file.file().write(zeros, at);
    }
  }

  private void count() {
    LiveEvents live = replay.live();
    for (int i = 0; i < files.size(); i++) {
      boolean isLast = i + 1 == files.size();
      long endSeq = isLast ? Long.MAX_VALUE : files.get(i + 1).header().firstSeq();
      files.get(i).addLive(live.count(files.get(i).header().firstSeq(), endSeq));
    }
  }
}
