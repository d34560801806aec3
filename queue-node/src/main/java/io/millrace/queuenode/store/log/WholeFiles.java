package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** Small files that are read and replaced as a whole. Thread-safe. */
final class WholeFiles {
  /** The suffix of files that were not finished. */
  static final String UNFINISHED = ".tmp";

  private WholeFiles() {}

  /**
   * Writes and forces the file before naming it, so that it exists completely or not at all.
   * Blocks.
   */
  static void write(Disk disk, Path path, ByteWriter content) throws IOException {
    Path unfinished = path.resolveSibling(path.getFileName() + UNFINISHED);
    try (DiskFile file = disk.create(unfinished)) {
      file.write(content.view(), 0);
      file.force();
    }
    disk.rename(unfinished, path);
    disk.forceFolder(path.getParent());
  }

  static byte[] read(Disk disk, Path path) throws IOException {
    try (DiskFile file = disk.open(path)) {
      ByteBuffer buffer = ByteBuffer.allocate(Math.toIntExact(file.length()));
      file.read(buffer, 0);
      return buffer.array();
    }
  }

  /** CRC-32C, which processors compute at memory speed. */
  static final class Checksum {
    private Checksum() {}

    static int of(byte[] bytes, int start, int end) {
      return around(bytes, start, start, start, end);
    }

    /** Of the bytes before and after a gap. */
    static int around(byte[] bytes, int start, int hole, int afterHole, int end) {
      CRC32C checksum = new CRC32C();
      checksum.update(bytes, start, hole - start);
      checksum.update(bytes, afterHole, end - afterHole);
      return (int) checksum.getValue();
    }
  }
}
