package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.Disk.DiskFile;
import io.millrace.queuenode.store.log.WholeFiles.Checksum;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The first bytes of a file of the log; written and forced before the file gets its name.
 *
 * @param number the file's own
 * @param covers the last number that it covers: its own, or a later one in a compact file made from
 *     several
 * @param firstSeq no event in it has a lower number, and none of a later file
 * @param salt random; groups of an earlier use of the same disk space have a different one
 * @param firstGroup number of its first group
 * @param compact whether it holds nothing but events that were live when it was made
 */
record FileHeader(
    long number, long covers, long firstSeq, long salt, long firstGroup, boolean compact) {
  static final int BYTES = 64;
  private static final long MAGIC = 0x4D494C4C4C4F4731L; // MILLLOG1

  void write(DiskFile file) throws IOException {
    ByteWriter writer = new ByteWriter();
    writer.fixedLong(MAGIC);
    writer.fixedLong(number);
    writer.fixedLong(covers);
    writer.fixedLong(firstSeq);
    writer.fixedLong(salt);
    writer.fixedLong(firstGroup);
    writer.fixedInt(compact ? 1 : 0);
    writer.fixedInt(writer.checksum(0, writer.size()));
    writer.raw(new byte[BYTES], writer.size(), BYTES);
    file.write(writer.view(), 0);
  }

  /** Empty if there is no complete header. */
  static Optional<FileHeader> read(DiskFile file) throws IOException {
    byte[] bytes = new byte[BYTES];
    file.read(ByteBuffer.wrap(bytes), 0);
    ByteReader reader = new ByteReader(bytes, 0, BYTES);
    long magic = reader.fixedLong();
    FileHeader header =
        new FileHeader(
            reader.fixedLong(),
            reader.fixedLong(),
            reader.fixedLong(),
            reader.fixedLong(),
            reader.fixedLong(),
            reader.fixedInt() == 1);
    int end = reader.position();
    boolean whole = magic == MAGIC && reader.fixedInt() == Checksum.of(bytes, 0, end);
    return whole ? Optional.of(header) : Optional.empty();
  }
}
