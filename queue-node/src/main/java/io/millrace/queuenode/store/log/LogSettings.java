package io.millrace.queuenode.store.log;

import java.nio.file.Path;

/**
 * Where and how a log is kept.
 *
 * @param folder an existing folder, held by this process alone
 * @param fileBytes size of one file; a larger group makes a larger file
 * @param blockBytes at least so many bytes of events per entry of a file's index in memory
 * @param zeroBytes the file is written with zeros so far ahead, so that a forced write need not
 *     change the file's metadata
 * @param sparse a finished file is rewritten when the live part of its bytes is below this, 0..1
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
