package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.BlockIndex.IndexFiles;
import io.millrace.queuenode.store.log.CheckpointFolder.Checkpoint;
import io.millrace.queuenode.store.log.Disk.DiskFile;
import io.millrace.queuenode.store.log.EventLog.LiveEvents;
import io.millrace.queuenode.store.log.EventLog.LogSettings;
import io.millrace.queuenode.store.log.LogFiles.FileChange;
import io.millrace.queuenode.store.log.LogReplay.LogImage;
import io.millrace.queuenode.store.log.LogTail.LogPosition;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes checkpoints, and then reclaims the space of finished files: those without live events are
 * deleted, sparse neighbours are merged. {@link #keep} is called by one thread at a time, {@link
 * #nextChange} by any.
 */
final class LogKeeper {
  private static final Logger LOGGER = LoggerFactory.getLogger(LogKeeper.class);

  private final Disk disk;
  private final LogSettings settings;
  private final Spares spares;
  private final CheckpointFolder checkpoints;
  private final Queue<FileChange> changes = new ConcurrentLinkedQueue<>();
  private final Set<Long> indexed = new HashSet<>();
  private final Set<Long> unreadable = new HashSet<>();

  LogKeeper(Disk disk, LogSettings settings, Spares spares) {
    this.disk = disk;
    this.settings = settings;
    this.spares = spares;
    this.checkpoints = new CheckpointFolder(disk, settings.folder());
  }

  /** The next change that the log's thread has not applied yet; null for none. */
  FileChange nextChange() {
    return changes.poll();
  }

  /**
   * Writes a checkpoint of an image whose position is on disk, and reclaims space.
   *
   * @param files all files of the log as of the image; the last one is not finished
   * @param firstOfTail first number of the last file
   * @return size of the checkpoint
   */
  long keep(LogImage image, LogPosition position, List<LogFile> files, long firstOfTail)
      throws IOException {
    List<LogFile> finished = files.subList(0, files.size() - 1);
    LiveEvents live = image.live();
    List<LogFile> needed = new ArrayList<>();
    List<LogFile> done = new ArrayList<>();
    for (int i = 0; i < finished.size(); i++) {
      LogFile file = finished.get(i);
      writeIndex(file);
      long endSeq = files.get(i + 1).header().firstSeq();
      (live.count(file.header().firstSeq(), endSeq) > 0 ? needed : done).add(file);
    }
    List<Long> numbers = needed.stream().map(LogFile::number).toList();
    ByteWriter checkpoint = Checkpoint.bytes(position, numbers, image);
    checkpoints.write(checkpoint);
    for (LogFile file : done) {
      changes.add(new FileChange(List.of(file), null, reclaim(file)));
    }
    compact(needed, live, firstOfTail);
    return checkpoint.size();
  }

  private void writeIndex(LogFile file) throws IOException {
    if (!indexed.contains(file.header().salt())) {
      IndexFiles.write(disk, file);
      indexed.add(file.header().salt());
    }
  }

  /** Deletes the file, or keeps it as the spare file and returns its name. */
  private Path reclaim(LogFile file) throws IOException {
    disk.delete(IndexFiles.of(file.path()));
    indexed.remove(file.header().salt());
    if (file.length() == settings.fileBytes()) {
      return spares.keep(file.path());
    }
    disk.delete(file.path());
    return null;
  }

  private void compact(List<LogFile> needed, LiveEvents live, long endSeq) throws IOException {
    Compaction compaction = new Compaction(disk, settings, live);
    List<LogFile> intact =
        needed.stream().filter(file -> !unreadable.contains(file.header().salt())).toList();
    for (List<LogFile> run : compaction.worthwhile(intact, endSeq)) {
      try {
        LogFile compact = compaction.rewrite(run, endSeqOf(run, needed, endSeq));
        changes.add(new FileChange(run, compact, null));
        // Nothing else reclaims these files later, and on a full disk writing the index may fail.
        for (LogFile old : run.subList(1, run.size())) {
          Path spare = reclaim(old);
          if (spare != null) {
            changes.add(FileChange.of(spare));
          }
        }
        writeIndex(compact);
      } catch (UnreadableEvents e) {
        // Reading them fails too, and is reported to the callers concerned.
        run.forEach(file -> unreadable.add(file.header().salt()));
        LOGGER.error("events cannot be moved to free space: {}", e.getMessage());
      }
    }
  }

  private static long endSeqOf(List<LogFile> run, List<LogFile> needed, long endSeq) {
    int next = needed.indexOf(run.get(run.size() - 1)) + 1;
    return next < needed.size() ? needed.get(next).header().firstSeq() : endSeq;
  }

  /**
   * Writes the live events of neighbouring files into one compact file that replaces them. Live
   * means: as of a checkpoint that is on disk, so that no opening can need an event that was left
   * out.
   */
  static final class Compaction {
    private static final int GROUP = 1 << 20;

    /** This many small neighbours are merged even if that frees no space. */
    private static final int MANY = 8;

    private final Disk disk;
    private final LogSettings settings;
    private final LiveEvents live;
    private final SecureRandom random = new SecureRandom();

    Compaction(Disk disk, LogSettings settings, LiveEvents live) {
      this.disk = disk;
      this.settings = settings;
      this.live = live;
    }

    /** Runs of neighbours that are worth rewriting. */
    List<List<LogFile>> worthwhile(List<LogFile> files, long endSeq) {
      List<List<LogFile>> runs = new ArrayList<>();
      List<LogFile> run = new ArrayList<>();
      long runBytes = 0;
      for (int i = 0; i < files.size(); i++) {
        LogFile file = files.get(i);
        long next = i + 1 < files.size() ? files.get(i + 1).header().firstSeq() : endSeq;
        long bytes = liveBytes(file, next);
        boolean thin = bytes < settings.sparse() * settings.fileBytes();
        boolean tooWide =
            !run.isEmpty() && next - run.get(0).header().firstSeq() > BlockIndex.WIDTH;
        if (!thin || tooWide || runBytes + bytes > settings.fileBytes() / 2) {
          close(run, runBytes, runs);
          run = new ArrayList<>();
          runBytes = 0;
        }
        if (thin) {
          run.add(file);
          runBytes += bytes;
        }
      }
      close(run, runBytes, runs);
      return runs;
    }

    private void close(List<LogFile> run, long liveBytes, List<List<LogFile>> runs) {
      long length = run.stream().mapToLong(LogFile::length).sum();
      boolean gain = length - liveBytes > settings.fileBytes() / 2;
      if (gain || run.size() >= MANY) {
        runs.add(run);
      }
    }

    private long liveBytes(LogFile file, long endSeq) {
      long count = live.count(file.header().firstSeq(), endSeq);
      BlockIndex index = file.index();
      return index.events() == 0 ? 0 : count * (index.eventBytes() / index.events());
    }

    /** Replaces the run with a compact file. Waits for the disk. */
    LogFile rewrite(List<LogFile> run, long endSeq) throws IOException {
      FileHeader first = run.get(0).header();
      FileHeader last = run.get(run.size() - 1).header();
      FileHeader header =
          new FileHeader(
              first.number(), last.covers(), first.firstSeq(), random.nextLong(), 1, true);
      Path path = run.get(0).path();
      Path unnamed = FileMaker.unfinished(path);
      DiskFile file = disk.create(unnamed);
      try {
        header.write(file);
        LogFile compact =
            new LogFile(
                header, path, file, new BlockIndex(settings.blockBytes(), first.firstSeq()), 0);
        copy(run, compact);
        long expected = live.count(first.firstSeq(), endSeq);
        if (compact.index().events() != expected) {
          throw new UnreadableEvents(
              compact.index().events() + " of " + expected + " live events found for " + path);
        }
        file.force();
        compact.setLength(file.length());
        disk.rename(unnamed, path);
        disk.forceFolder(settings.folder());
        return compact;
      } catch (IOException | RuntimeException e) {
        discard(file, unnamed, e);
        throw e;
      }
    }

    private void discard(DiskFile file, Path unnamed, Exception cause) {
      try {
        file.close();
        disk.delete(unnamed);
      } catch (IOException e) {
        cause.addSuppressed(e);
      }
    }

    private void copy(List<LogFile> run, LogFile compact) throws IOException {
      LogSettings endless =
          new LogSettings(
              settings.folder(), Integer.MAX_VALUE, settings.blockBytes(), 0, settings.sparse());
      LogTail tail = new LogTail(endless, compact, FileHeader.BYTES, 1);
      GroupBuffer group = new GroupBuffer(settings.blockBytes());
      for (LogFile file : run) {
        file.visitAll(
            live::contains,
            (seq, common, content) -> {
              byte[] bytes = content.rest();
              group.beginEvent(common.rest(), seq).raw(bytes, 0, bytes.length);
              group.endEvent();
              if (group.size() >= GROUP) {
                tail.append(group);
                group.clear();
              }
            });
      }
      group.begin(GroupBuffer.SEAL);
      group.end();
      tail.append(group);
    }
  }
}
