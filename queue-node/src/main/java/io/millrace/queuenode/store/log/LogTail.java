package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.EventLog.LogSettings;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The end of the log: where the next group is written. A group that could not be written is
 * overwritten; if that fails too, or a force failed, nothing more is written. One thread.
 */
final class LogTail {
  /** Space reserved in each file for the group that ends it. */
  static final int SEAL_BYTES = GroupHeader.BYTES + GroupBuffer.RECORD_HEADER;

  private final LogSettings settings;
  private final byte[] zeros;
  private LogFile file;
  private long end;
  private long nextGroup;
  private long forcedGroup;
  private String broken;

  /**
   * The end as recovery found it.
   *
   * @param end offset after the last group
   * @param nextGroup number of the next group; all earlier ones are on disk
   */
  LogTail(LogSettings settings, LogFile file, long end, long nextGroup) {
    this.settings = settings;
    this.zeros = new byte[settings.zeroBytes()];
    this.file = file;
    this.end = end;
    this.nextGroup = nextGroup;
    this.forcedGroup = nextGroup - 1;
  }

  LogFile file() {
    return file;
  }

  LogPosition position() {
    return new LogPosition(file.number(), end, nextGroup);
  }

  /** Whether the group fits into this file. */
  boolean fits(GroupBuffer group) {
    return end == FileHeader.BYTES || end + group.size() + SEAL_BYTES <= settings.fileBytes();
  }

  void append(GroupBuffer group) throws IOException {
    requireUsable();
    write(group);
    for (GroupBuffer.Mark mark : group.marks()) {
      file.index().add(mark.firstSeq(), end + mark.start(), end + mark.end(), mark.events());
      file.addLive(mark.events());
    }
    end += group.size();
    nextGroup++;
  }

  private void write(GroupBuffer group) throws IOException {
    ByteWriter bytes = group.complete(file.header().salt(), nextGroup, nextGroup - 1 - forcedGroup);
    try {
      zeroAhead(end + bytes.size());
      file.file().write(bytes.view(), end);
    } catch (IOException e) {
      wipe(e);
      throw e;
    }
  }

  /** Writes zeros ahead of the end, so that most forces need not update the file's size. */
  private void zeroAhead(long needed) throws IOException {
    while (file.length() < needed && zeros.length > 0) {
      long more = Math.min(zeros.length, Math.max(needed, settings.fileBytes()) - file.length());
      file.file().write(ByteBuffer.wrap(zeros, 0, (int) more), file.length());
      file.setLength(file.length() + more);
    }
  }

  /** A failed group must not be found by the next opening. */
  private void wipe(IOException cause) {
    try {
      long left = Math.min(GroupHeader.BYTES, file.file().length() - end);
      if (left > 0) {
        file.file().write(ByteBuffer.allocate((int) left), end);
      }
    } catch (IOException e) {
      cause.addSuppressed(e);
      broken = "a group could neither be written nor overwritten:  " + cause.getMessage();
    }
  }

  /** Ends this file and continues in the next one, which is already on disk. */
  void moveTo(LogFile next, GroupBuffer seal) throws IOException {
    append(seal);
    force();
    file = next;
    end = FileHeader.BYTES;
  }

  void force() throws IOException {
    requireUsable();
    try {
      file.file().force();
    } catch (IOException e) {
      broken = "the log could not be forced to disk: " + e.getMessage();
      throw e;
    }
    forcedGroup = nextGroup - 1;
  }

  /** Whether nothing more can be written. */
  boolean isBroken() {
    return broken != null;
  }

  private void requireUsable() throws IOException {
    if (broken != null) {
      throw new IOException(broken + "; check the disk and restart this node");
    }
  }

  /**
   * A position between two groups.
   *
   * @param file number of the file
   * @param offset in the file
   * @param group number of the group that begins there
   */
  record LogPosition(long file, long offset, long group) {
    /** The start of every log. */
    static final LogPosition START = new LogPosition(1, FileHeader.BYTES, 1);
  }
}
