package io.millrace.queuenode.store.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the log was up to a position, so that older groups need not be read again.
 *
 * @param position the groups from here on are not in it
 * @param needed numbers of earlier files that held live events
 * @param content the store's image
 */
record Checkpoint(LogPosition position, List<Long> needed, ByteReader content) {
  private static final long MAGIC = 0x4D494C4C43484B31L; // MILLCHK1
  private static final int CHECKSUM = 8;

  /** The beginning of every log. */
  static final Checkpoint NONE =
      new Checkpoint(LogPosition.START, List.of(), new ByteReader(new byte[0], 0, 0));

  static ByteWriter bytes(LogPosition position, List<Long> needed, LogImage image) {
    ByteWriter writer = new ByteWriter();
    writer.fixedLong(MAGIC);
    writer.fixedInt(0);
    writer.number(position.file());
    writer.number(position.offset());
    writer.number(position.group());
    writer.number(needed.size());
    needed.forEach(writer::number);
    image.write(writer);
    writer.patchInt(CHECKSUM, writer.checksum(CHECKSUM + 4, writer.size()));
    return writer;
  }

  /** Empty when the bytes are not those of a whole checkpoint. */
  static Optional<Checkpoint> parse(byte[] bytes) {
    if (bytes.length < CHECKSUM + 4
        || ByteReader.longAt(bytes, 0) != MAGIC
        || ByteReader.intAt(bytes, CHECKSUM) != Checksum.of(bytes, CHECKSUM + 4, bytes.length)) {
      return Optional.empty();
    }
    ByteReader reader = new ByteReader(bytes, CHECKSUM + 4, bytes.length);
    LogPosition position = new LogPosition(reader.number(), reader.number(), reader.number());
    List<Long> needed = new ArrayList<>();
    for (long left = reader.number(); left > 0; left--) {
      needed.add(reader.number());
    }
    return Optional.of(new Checkpoint(position, needed, reader));
  }
}
