package io.millrace.queuenode.store.log;

import java.util.zip.CRC32C;

/** CRC-32C, which processors compute faster than memory delivers. */
final class Checksum {
  private Checksum() {}

  static int of(byte[] bytes, int start, int end) {
    return around(bytes, start, start, start, end);
  }

  /** Over both sides of a hole. */
  static int around(byte[] bytes, int start, int hole, int afterHole, int end) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, start, hole - start);
    checksum.update(bytes, afterHole, end - afterHole);
    return (int) checksum.getValue();
  }
}
