package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.FileScan.FileWindow;
import io.millrace.queuenode.store.log.WholeFiles.Checksum;
import java.io.IOException;
import java.util.Optional;

/**
 * The header of a group: {@code 'G'}, length of the records, checksum over everything but itself,
 * salt, number, and how many groups immediately before it were not known to be on disk.
 *
 * @param length of the records in bytes
 * @param number groups of a log are numbered consecutively
 * @param unforced how many groups before this one may be missing after a power failure although
 *     this one exists
 */
record GroupHeader(int length, long number, long unforced) {
  static final int BYTES = 33;
  static final int TYPE = 'G';

  /** Offset of the salt. */
  static final int SALT = 9;

  private static final int CHECKSUM = 5;

  /** Fills the space reserved at the start of a writer that holds the group's records. */
  static void complete(ByteWriter group, long salt, long number, long unforced) {
    int end = group.size();
    group.cut(0);
    group.oneByte(TYPE);
    group.fixedInt(end - BYTES);
    group.fixedInt(0);
    group.fixedLong(salt);
    group.fixedLong(number);
    group.fixedLong(unforced);
    group.cut(end);
    group.patchInt(CHECKSUM, group.checksumAround(0, CHECKSUM, SALT, end));
  }

  /** The header at an offset of a file, if it and its group are intact. */
  static Optional<GroupHeader> read(FileWindow window, long at, long salt) throws IOException {
    if (!window.reach(at, BYTES)) {
      return Optional.empty();
    }
    int start = window.index(at);
    int length = ByteReader.intAt(window.bytes(), start + 1);
    if (window.bytes()[start] != TYPE
        || length < 0
        || ByteReader.longAt(window.bytes(), start + SALT) != salt
        || !window.reach(at, (long) BYTES + length)) {
      return Optional.empty();
    }
    byte[] bytes = window.bytes();
    int begin = window.index(at);
    int checksum =
        Checksum.around(bytes, begin, begin + CHECKSUM, begin + SALT, begin + BYTES + length);
    if (checksum != ByteReader.intAt(bytes, begin + CHECKSUM)) {
      return Optional.empty();
    }
    return Optional.of(
        new GroupHeader(
            length,
            ByteReader.longAt(bytes, begin + SALT + 8),
            ByteReader.longAt(bytes, begin + SALT + 16)));
  }

  /** The last group known to be on disk when this one was written. */
  long forcedThrough() {
    return number - 1 - unforced;
  }
}
