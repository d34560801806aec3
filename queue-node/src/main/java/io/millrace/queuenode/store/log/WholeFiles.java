package io.millrace.queuenode.store.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Small files that are read and replaced as a whole. Thread-safe. */
final class WholeFiles {
  /** A name with this ending is of a file that was never finished. */
  static final String UNFINISHED = ".tmp";

  private WholeFiles() {}

  /** Writes, forces and names the file, so that it is there whole or not at all. Blocks. */
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
}
