package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.Disk.DiskFile;
import io.millrace.queuenode.store.log.EventLog.EventVisitor;
import io.millrace.queuenode.store.log.WholeFiles.Checksum;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.LongPredicate;

/**
 * One file of the log. Any thread may read while nothing is added to the index; the counts of live
 * events belong to the log's thread.
 */
final class LogFile {
  /** Blocks at most this far apart are read in one go, including the gap. */
  private static final int NEAR = 32 << 10;

  private static final int READ_AT_ONCE = 1 << 20;

  private final FileHeader header;
  private final Path path;
  private final DiskFile file;
  private final BlockIndex index;
  private long length;
  private long live;

  LogFile(FileHeader header, Path path, DiskFile file, BlockIndex index, long length) {
    this.header = header;
    this.path = path;
    this.file = file;
    this.index = index;
    this.length = length;
  }

  static String name(long number) {
    return String.format(Locale.ROOT, "%012d.log", number);
  }

  FileHeader header() {
    return header;
  }

  long number() {
    return header.number();
  }

  Path path() {
    return path;
  }

  DiskFile file() {
    return file;
  }

  BlockIndex index() {
    return index;
  }

  /** Bytes on disk. */
  long length() {
    return length;
  }

  void setLength(long bytes) {
    length = bytes;
  }

  /** The number of unfinished events in it. */
  long live() {
    return live;
  }

  void addLive(long more) {
    live += more;
  }

  /**
   * Visits the events {@code seqs[from..to)}, which ascend and must be in this file.
   *
   * @throws UnreadableEvents if one of them cannot be read as it was written
   */
  void read(long[] seqs, int from, int to, EventVisitor visitor) throws IOException {
    int next = from;
    while (next < to) {
      int first = block(seqs[next]);
      int last = first;
      int runEnd = next + 1;
      while (runEnd < to && joins(first, last, block(seqs[runEnd]))) {
        last = block(seqs[runEnd]);
        runEnd++;
      }
      readRun(first, last, seqs, next, runEnd, visitor);
      next = runEnd;
    }
  }

  private boolean joins(int first, int last, int other) {
    return other == last
        || (index.start(other) - index.end(last) <= NEAR
            && index.end(other) - index.start(first) <= READ_AT_ONCE);
  }

  /** The size of the block that contains an event. */
  int blockBytes(long seq) throws UnreadableEvents {
    int block = block(seq);
    return index.end(block) - index.start(block);
  }

  /** The block that contains an event. */
  int block(long seq) throws UnreadableEvents {
    int block = index.block(seq);
    if (block < 0) {
      throw unreadable(FileHeader.BYTES, "event " + seq + " is missing");
    }
    return block;
  }

  private void readRun(int first, int last, long[] seqs, int from, int to, EventVisitor visitor)
      throws IOException {
    int origin = index.start(first);
    byte[] bytes = bytes(origin, index.end(last));
    Wanted wanted = new Wanted(seqs, from, to);
    for (int block = first; block <= last && wanted.isOpen(); block++) {
      if (block(wanted.next()) == block) {
        int damage = visitBlock(bytes, origin, block, wanted, visitor);
        if (wanted.isOpen() && block(wanted.next()) == block) {
          int offset = damage < 0 ? index.start(block) : damage;
          throw unreadable(offset, "event " + wanted.next() + " cannot be read");
        }
      }
    }
  }

  /**
   * Walks over the records and group headers in the block, and skips a damaged record: it may
   * contain only events that are not wanted.
   *
   * @return the first damaged offset; -1 for none
   */
  private int visitBlock(
      byte[] bytes, int origin, int block, LongPredicate wanted, EventVisitor visitor)
      throws IOException {
    int damage = -1;
    int at = index.start(block) - origin;
    int end = index.end(block) - origin;
    while (at < end) {
      if (bytes[at] == GroupHeader.TYPE) {
        at += GroupHeader.BYTES;
        continue;
      }
      int start = at + GroupBuffer.RECORD_HEADER;
      int length = start <= end ? ByteReader.intAt(bytes, at + 1) : -1;
      if (length < 0 || length > end - start) {
        return damage < 0 ? origin + at : damage;
      }
      if (bytes[at] == GroupBuffer.EVENTS) {
        if (EventsRecord.isWhole(bytes, start, start + length)) {
          EventsRecord.visit(bytes, start, start + length, wanted, visitor);
        } else if (damage < 0) {
          damage = origin + at;
        }
      }
      at = start + length;
    }
    return damage;
  }

  /** Visits every readable wanted event of the file, a block at a time. */
  void visitAll(LongPredicate wanted, EventVisitor visitor) throws IOException {
    for (int block = 0; block < index.size(); block++) {
      byte[] bytes = bytes(index.start(block), index.end(block));
      visitBlock(bytes, index.start(block), block, wanted, visitor);
    }
  }

  private byte[] bytes(int start, int end) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(end - start);
    file.read(buffer, start);
    if (buffer.hasRemaining()) {
      throw unreadable(start, "the file ends too early");
    }
    return buffer.array();
  }

  private UnreadableEvents unreadable(long offset, String reason) {
    return new UnreadableEvents(
        "file " + path.getFileName() + " is damaged at offset " + offset + ": " + reason);
  }

  /** The events of a read that have not been found yet. */
  private static final class Wanted implements LongPredicate {
    private final long[] seqs;
    private final int to;
    private int next;

    Wanted(long[] seqs, int from, int to) {
      this.seqs = seqs;
      this.next = from;
      this.to = to;
    }

    boolean isOpen() {
      return next < to;
    }

    long next() {
      return seqs[next];
    }

    @Override
    public boolean test(long seq) {
      boolean found = next < to && seqs[next] == seq;
      if (found) {
        next++;
      }
      return found;
    }
  }

  /** Reads an events record. */
  static final class EventsRecord {
    private EventsRecord() {}

    /** Whether the content matches its checksum. */
    static boolean isWhole(byte[] bytes, int start, int end) {
      return end - start >= 4
          && ByteReader.intAt(bytes, start) == Checksum.of(bytes, start + 4, end);
    }

    /** Visits the wanted events of an intact record in order. */
    static void visit(byte[] bytes, int start, int end, LongPredicate wanted, EventVisitor visitor)
        throws IOException {
      ByteReader reader = new ByteReader(bytes, start + 4, end);
      int commonLength = reader.smallNumber();
      int commonStart = reader.position();
      reader.part(commonLength);
      long seq = reader.number();
      while (reader.hasMore()) {
        seq += reader.number();
        ByteReader content = reader.part(reader.fixedInt());
        if (wanted.test(seq)) {
          ByteReader common = new ByteReader(bytes, commonStart, commonStart + commonLength);
          visitor.event(seq, common, content);
        }
      }
    }

    /** The number of its first event. */
    static long firstSeq(byte[] bytes, int start, int end) {
      ByteReader reader = new ByteReader(bytes, start + 4, end);
      reader.part(reader.smallNumber());
      return reader.number();
    }
  }
}
