package io.millrace.queuenode.store.log;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the live events of neighbouring files into one compact file in their place. Live means: as
 * of a checkpoint that is on disk, so that no opening can ever want an event that was left out.
 */
final class Compaction {
  private static final int GROUP = 1 << 20;

  /** So many small neighbours are put together even when that frees no space. */
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
  List<List<LogFile>> worthwhile(List<LogFile> files, long behind) {
    List<List<LogFile>> runs = new ArrayList<>();
    List<LogFile> run = new ArrayList<>();
    long runBytes = 0;
    for (int i = 0; i < files.size(); i++) {
      LogFile file = files.get(i);
      long next = i + 1 < files.size() ? files.get(i + 1).header().firstSeq() : behind;
      long bytes = liveBytes(file, next);
      boolean thin = bytes < settings.sparse() * settings.fileBytes();
      boolean tooWide = !run.isEmpty() && next - run.get(0).header().firstSeq() > BlockIndex.WIDTH;
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

  private long liveBytes(LogFile file, long behind) {
    long count = live.count(file.header().firstSeq(), behind);
    BlockIndex index = file.index();
    return index.events() == 0 ? 0 : count * (index.eventBytes() / index.events());
  }

  /** Puts a compact file in the place of the run. Blocks for the disk. */
  LogFile rewrite(List<LogFile> run, long behind) throws IOException {
    FileHeader first = run.get(0).header();
    FileHeader last = run.get(run.size() - 1).header();
    FileHeader header =
        new FileHeader(first.number(), last.covers(), first.firstSeq(), random.nextLong(), 1, true);
    Path path = run.get(0).path();
    Path unnamed = FileMaker.unfinished(path);
    DiskFile file = disk.create(unnamed);
    try {
      header.write(file);
      LogFile compact =
          new LogFile(
              header, path, file, new BlockIndex(settings.blockBytes(), first.firstSeq()), 0);
      copy(run, compact);
      long expected = live.count(first.firstSeq(), behind);
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
