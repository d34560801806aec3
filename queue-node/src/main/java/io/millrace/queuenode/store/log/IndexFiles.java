package io.millrace.queuenode.store.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Indexes of finished files, kept beside them so that an opening need not read every event. A lost
 * or damaged one is made again from its file.
 */
final class IndexFiles {
  static final String ENDING = ".index";

  private IndexFiles() {}

  static Path of(Path logFile) {
    return logFile.resolveSibling(logFile.getFileName() + ENDING);
  }

  static void write(Disk disk, LogFile file) throws IOException {
    ByteWriter writer = new ByteWriter();
    writer.fixedInt(0);
    writer.fixedLong(file.header().salt());
    file.index().write(writer);
    writer.patchInt(0, writer.checksum(4, writer.size()));
    WholeFiles.write(disk, of(file.path()), writer);
  }

  /** Empty when there is none, or not that of this very file. */
  static Optional<BlockIndex> read(Disk disk, FileHeader header, Path logFile, int blockBytes) {
    byte[] bytes;
    try {
      bytes = WholeFiles.read(disk, of(logFile));
    } catch (IOException e) {
      return Optional.empty();
    }
    if (bytes.length < 12
        || ByteReader.intAt(bytes, 0) != Checksum.of(bytes, 4, bytes.length)
        || ByteReader.longAt(bytes, 4) != header.salt()) {
      return Optional.empty();
    }
    ByteReader reader = new ByteReader(bytes, 12, bytes.length);
    return Optional.of(BlockIndex.read(reader, blockBytes, header.firstSeq()));
  }
}
