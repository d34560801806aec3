package io.millrace.queuenode.store.log;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.queuenode.store.log.CheckpointFolder.Checkpoint;
import io.millrace.queuenode.store.log.Disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The files found when a log is opened.
 *
 * @param files those of the log, ascending
 * @param leftovers files that were not finished, or have been replaced
 * @param spares finished files to be reused
 */
record LogFolder(List<Found> files, List<Path> leftovers, List<Path> spares) {
  private static final Pattern LOG = Pattern.compile("\\d{12}\\.log");

  /** One file of the log, open. */
  record Found(FileHeader header, Path path, DiskFile file) {}

  /** Opens the files; closes all of them if one cannot be used. */
  static LogFolder open(Disk disk, Path folder) throws IOException {
    LogFolder found = new LogFolder(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    try {
      for (String name : disk.names(folder)) {
        Path path = folder.resolve(name);
        if (LOG.matcher(name).matches()) {
          found.add(name, path, disk.open(path));
        } else if (name.endsWith(WholeFiles.UNFINISHED)) {
          found.leftovers.add(path);
        } else if (name.startsWith(Spares.PREFIX)) {
          found.spares.add(path);
        }
      }
      return found;
    } catch (IOException | RuntimeException e) {
      found.close();
      throw e;
    }
  }

  private void add(String name, Path path, DiskFile file) throws IOException {
    FileHeader header = FileHeader.read(file).orElse(null);
    if (header == null || !name.equals(LogFile.name(header.number()))) {
      file.close();
      throw LogDamage.at(path, 0, "it does not begin with its own header");
    }
    if (!files.isEmpty() && header.number() <= files.get(files.size() - 1).header().covers()) {
      // A compact file has replaced it before it could be deleted.
      file.close();
      leftovers.add(path);
      return;
    }
    files.add(new Found(header, path, file));
  }

  /** Why the log cannot be read from this checkpoint on; null if it can. */
  String missing(Checkpoint checkpoint) {
    for (long number : checkpoint.needed()) {
      if (files.stream().noneMatch(file -> covers(file.header(), number))) {
        return "file " + LogFile.name(number) + ", which holds events, is missing";
      }
    }
    long expected = checkpoint.position().file();
    for (Found file : files) {
      FileHeader header = file.header();
      if (header.covers() < expected) {
        continue;
      }
      if (header.number() != expected || header.compact()) {
        break;
      }
      expected++;
    }
    boolean toTheEnd =
        !files.isEmpty() && expected == files.get(files.size() - 1).header().number() + 1;
    return toTheEnd ? null : "file " + LogFile.name(expected) + " is missing";
  }

  private static boolean covers(FileHeader header, long number) {
    return header.number() <= number && number <= header.covers();
  }

  void close() throws IOException {
    for (Found file : files) {
      file.file().close();
    }
  }

  /** Refusals to open a damaged log. */
  static final class LogDamage {
    private LogDamage() {}

    static MillraceException at(Path file, long offset, String reason) {
      return of("file " + file + " is damaged at offset " + offset + ": " + reason);
    }

    static MillraceException of(String what) {
      return new MillraceException(
          ErrorCode.STORE_FAILURE,
          what
              + ". Nothing was changed. Restore the folder from a complete backup, or move it away"
              + " to start with an empty store");
    }
  }
}
