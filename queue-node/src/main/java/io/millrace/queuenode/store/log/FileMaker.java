package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.Disk.DiskFile;
import io.millrace.queuenode.store.log.EventLog.LogSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;

/** Creates files of the log; a file gets its name only once its header is on disk. One thread. */
final class FileMaker {
  private final Disk disk;
  private final LogSettings settings;
  private final Spares spares;
  private final SecureRandom random = new SecureRandom();

  FileMaker(Disk disk, LogSettings settings, Spares spares) {
    this.disk = disk;
    this.settings = settings;
    this.spares = spares;
  }

  /** Creates a file for groups from this number on. Waits for the disk. */
  LogFile make(long number, long firstSeq, long firstGroup) throws IOException {
    Path path = settings.folder().resolve(LogFile.name(number));
    Path spare = spares.take();
    Path unnamed = spare == null ? unfinished(path) : spare;
    try {
      DiskFile file = spare == null ? disk.create(unnamed) : disk.open(unnamed);
      FileHeader header =
          new FileHeader(number, number, firstSeq, random.nextLong(), firstGroup, false);
      return name(file, header, unnamed, path);
    } catch (IOException e) {
      // No one else refers to a spare file that was taken. It is not returned: if the file itself
      // is damaged or missing, the next attempt would fail too.
      discard(unnamed, e);
      throw e;
    }
  }

  private LogFile name(DiskFile file, FileHeader header, Path unnamed, Path path)
      throws IOException {
    try {
      header.write(file);
      file.force();
      disk.rename(unnamed, path);
      disk.forceFolder(settings.folder());
      BlockIndex index = new BlockIndex(settings.blockBytes(), header.firstSeq());
      return new LogFile(header, path, file, index, file.length());
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  private void discard(Path unnamed, IOException cause) {
    try {
      disk.delete(unnamed);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /** Deletes a new file that has no groups. */
  void delete(LogFile made, IOException cause) {
    try {
      made.file().close();
      disk.delete(made.path());
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  static Path unfinished(Path path) {
    return path.resolveSibling(path.getFileName() + WholeFiles.UNFINISHED);
  }
}
