package io.millrace.queuenode.store.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes checkpoints, and then gives back the space of finished files: those without live events
 * are deleted, thin neighbours are put together. {@link #keep} is called by one thread at a time,
 * {@link #nextChange} by any.
 */
final class LogKeeper {
  private static final Logger LOGGER = LoggerFactory.getLogger(LogKeeper.class);

  private final Disk disk;
  private final LogSettings settings;
  private final Spares spares;
  private final CheckpointFolder checkpoints;
  private final Queue<FileChange> changes = new ConcurrentLinkedQueue<>();
  private final Set<Long> indexed = new HashSet<>();
  private final Set<Long> damaged = new HashSet<>();

  LogKeeper(Disk disk, LogSettings settings, Spares spares) {
    this.disk = disk;
    this.settings = settings;
    this.spares = spares;
    this.checkpoints = new CheckpointFolder(disk, settings.folder());
  }

  /** What the log's thread has not taken note of yet; null when there is nothing. */
  FileChange nextChange() {
    return changes.poll();
  }

  /**
   * Writes a checkpoint of an image whose position is on disk, and clears up behind it.
   *
   * @param files all files of the log as of the image; the last one is not finished
   * @param firstOfTail no event in the last file has a lower number
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
      long behind = files.get(i + 1).header().firstSeq();
      (live.count(file.header().firstSeq(), behind) > 0 ? needed : done).add(file);
    }
    List<Long> numbers = needed.stream().map(LogFile::number).toList();
    ByteWriter checkpoint = Checkpoint.bytes(position, numbers, image);
    checkpoints.write(checkpoint);
    for (LogFile file : done) {
      changes.add(new FileChange(List.of(file), null, giveBack(file)));
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

  /** Deletes the file, or makes it the spare one, whose name it returns. */
  private Path giveBack(LogFile file) throws IOException {
    disk.delete(IndexFiles.of(file.path()));
    indexed.remove(file.header().salt());
    if (file.length() == settings.fileBytes()) {
      return spares.keep(file.path());
    }
    disk.delete(file.path());
    return null;
  }

  private void compact(List<LogFile> needed, LiveEvents live, long behind) throws IOException {
    Compaction compaction = new Compaction(disk, settings, live);
    List<LogFile> whole =
        needed.stream().filter(file -> !damaged.contains(file.header().salt())).toList();
    for (List<LogFile> run : compaction.worthwhile(whole, behind)) {
      try {
        LogFile compact = compaction.rewrite(run, behindOf(run, needed, behind));
        changes.add(new FileChange(run, compact, null));
        // From here on nobody gives these files back later; on a full disk the index may fail.
        for (LogFile old : run.subList(1, run.size())) {
          Path spare = giveBack(old);
          if (spare != null) {
            changes.add(FileChange.of(spare));
          }
        }
        writeIndex(compact);
      } catch (UnreadableEvents e) {
        // Serving them will say so too, to those whom it concerns.
        run.forEach(file -> damaged.add(file.header().salt()));
        LOGGER.error("events cannot be moved to free space: {}", e.getMessage());
      }
    }
  }

  private static long behindOf(List<LogFile> run, List<LogFile> needed, long behind) {
    int next = needed.indexOf(run.get(run.size() - 1)) + 1;
    return next < needed.size() ? needed.get(next).header().firstSeq() : behind;
  }
}
