package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.Disk.DiskFile;
import io.millrace.queuenode.store.log.LogFile.EventsRecord;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads a file's groups from the front as far as they are whole, and makes its index. One thread.
 */
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
    int behind = at + group.length();
    while (at < behind) {
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

  /** Behind the last whole group. */
  long end() {
    return end;
  }

  /** Number of the group that would come next. */
  long nextGroup() {
    return nextGroup;
  }

  /** Whether the file says itself that it ends here and another follows. */
  boolean sealed() {
    return sealed;
  }

  BlockIndex index() {
    return index;
  }

  /**
   * What is behind the last whole group. A torn group was never on disk, so nobody was told of it;
   * but when a later group says that it was, the file was damaged since.
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

  /** What the bytes behind the last whole group are. */
  enum Rest {
    /** Zeros, or what an earlier life of the disk space left. */
    CLEAN,
    /** Groups of this file that were not forced; they must be wiped out. */
    TORN,
    /** A group that was forced is no longer whole. */
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
}
