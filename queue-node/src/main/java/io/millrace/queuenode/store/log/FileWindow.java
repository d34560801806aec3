package io.millrace.queuenode.store.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A moving view of a file, for reading it from front to back. One thread. */
final class FileWindow {
  private static final int STEP = 1 << 20;

  private final DiskFile file;
  private final long length;
  private byte[] bytes = new byte[STEP];
  private long start;
  private int filled;

  FileWindow(DiskFile file) throws IOException {
    this.file = file;
    this.length = file.length();
  }

  byte[] bytes() {
    return bytes;
  }

  /** Where an offset of the file is in {@link #bytes}; it must have been reached. */
  int index(long offset) {
    return Math.toIntExact(offset - start);
  }

  /** Makes so many bytes from the offset on visible; false when the file ends before. */
  boolean reach(long offset, long count) throws IOException {
    if (count > length - offset) {
      return false;
    }
    if (offset >= start && offset + count <= start + filled) {
      return true;
    }
    int wanted = (int) Math.min(length - offset, Math.max(count, STEP));
    if (bytes.length < wanted) {
      bytes = new byte[wanted];
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, wanted);
    file.read(buffer, offset);
    start = offset;
    filled = buffer.position();
    return filled >= count;
  }
}
