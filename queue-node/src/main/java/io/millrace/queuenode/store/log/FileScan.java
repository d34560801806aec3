package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.Disk.DiskFile;
import io.millrace.queuenode.store.log.LogFile.EventsRecord;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads a file's groups from the start while they are intact, and builds its index. One thread. */
final class FileScan {
  private final FileHeader header;
  private final FileWindow window;
  private final BlockIndex index;
  private long end = FileHeader.BYTES;
  private long nextGroup;
  private boolean sealed;
  private Rest rest;

  FileScan(FileHeader header, DiskFile file, int blockBytes) throws IOException {
    this.header = header;
    this.window = new FileWindow(file);
    this.index = new BlockIndex(blockBytes, header.firstSeq());
    this.nextGroup = header.firstGroup();
  }

  /** Reads all groups; those from the given number on go to the replay. */
  void run(long fromGroup, LogReplay replay) throws IOException {
    while (!sealed) {
      GroupHeader group = GroupHeader.read(window, end, header.salt()).orElse(null);
      if (group == null || group.number() != nextGroup) {
        return;
      }
      boolean wanted = group.number() >= fromGroup;
      records(group, wanted ? replay : null);
      end += GroupHeader.BYTES + group.length();
      nextGroup++;
      if (wanted) {
        replay.groupEnded();
      }
    }
  }

  private void records(GroupHeader group, LogReplay replay) throws IOException {
    byte[] bytes = window.bytes();
    int begin = window.index(end);
    int at = begin + GroupHeader.BYTES;
    int groupEnd = at + group.length();
    while (at < groupEnd) {
      int type = bytes[at];
      int start = at + GroupBuffer.RECORD_HEADER;
      int stop = start + ByteReader.intAt(bytes, at + 1);
      if (type == GroupBuffer.EVENTS) {
        int[] count = new int[1];
        EventsRecord.visit(
            bytes,
            start,
            stop,
            seq -> true,
            (seq, common, content) -> {
              count[0]++;
              if (replay != null) {
                replay.event(seq, common, content);
              }
            });
        long offset = end - begin;
        long firstSeq = EventsRecord.firstSeq(bytes, start, stop);
        index.add(firstSeq, offset + at, offset + stop, count[0]);
      } else if (type == GroupBuffer.SEAL) {
        sealed = true;
      } else if (replay != null) {
        replay.record(type, new ByteReader(bytes, start, stop));
      }
      at = stop;
    }
  }

  /** The offset after the last intact group. */
  long end() {
    return end;
  }

  /** Number of the next group. */
  long nextGroup() {
    return nextGroup;
  }

  /** Whether the file is sealed: it ends here and another follows. */
  boolean sealed() {
    return sealed;
  }

  BlockIndex index() {
    return index;
  }

  /**
   * What follows the last intact group. A torn group was never forced, so it was never
   * acknowledged; but if a later group shows that it was forced, the file has been damaged since.
   */
  Rest rest() throws IOException {
    if (rest == null) {
      rest = Rest.CLEAN;
      for (long at = end; window.reach(at, GroupHeader.BYTES) && rest != Rest.DAMAGED; at++) {
        int salt = window.index(at) + GroupHeader.SALT;
        if (ByteReader.longAt(window.bytes(), salt) == header.salt()) {
          rest = restWith(at);
        }
      }
    }
    return rest;
  }

  private Rest restWith(long groupAt) throws IOException {
    GroupHeader later = GroupHeader.read(window, groupAt, header.salt()).orElse(null);
    boolean forced = later != null && later.forcedThrough() >= nextGroup;
    return forced ? Rest.DAMAGED : Rest.TORN;
  }

  /** The kinds of bytes after the last intact group. */
  enum Rest {
    /** Zeros, or remains of an earlier use of the disk space. */
    CLEAN,
    /** Groups of this file that were not forced; they must be overwritten. */
    TORN,
    /** A group that was forced is no longer intact. */
    DAMAGED
  }

  /** A moving view of a file, for reading it from front to back. One thread. */
  static final class FileWindow {
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

    /** The index of a file offset in {@link #bytes}; it must have been reached. */
    int index(long offset) {
      return Math.toIntExact(offset - start);
    }

    /** Loads that many bytes from the offset; false if the file ends before. */
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
}
