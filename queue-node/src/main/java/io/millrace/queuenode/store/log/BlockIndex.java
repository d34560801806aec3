package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.WholeFiles.Checksum;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * The positions of one file's events: an entry of twelve bytes for each block of some kilobytes,
 * which is then searched for the event. One thread until the file is finished; then any.
 */
final class BlockIndex {
  /** The maximum difference between the sequence numbers of one file. */
  static final int WIDTH = Integer.MAX_VALUE;

  private final int blockBytes;
  private final long baseSeq;
  private int[] seqs = new int[16];
  private int[] starts = new int[16];
  private int[] ends = new int[16];
  private int size;
  private long events;
  private long eventBytes;

  /**
   * An empty index.
   *
   * @param baseSeq no event has a lower number
   */
  BlockIndex(int blockBytes, long baseSeq) {
    this.blockBytes = blockBytes;
    this.baseSeq = baseSeq;
  }

  /** Adds an events record after the known ones. */
  void add(long firstSeq, long start, long end, int count) {
    events += count;
    eventBytes += end - start;
    if (size > 0 && end - starts[size - 1] <= blockBytes) {
      ends[size - 1] = Math.toIntExact(end);
      return;
    }
    if (size == seqs.length) {
      seqs = Arrays.copyOf(seqs, 2 * size);
      starts = Arrays.copyOf(starts, 2 * size);
      ends = Arrays.copyOf(ends, 2 * size);
    }
    seqs[size] = Math.toIntExact(firstSeq - baseSeq);
    starts[size] = Math.toIntExact(start);
    ends[size] = Math.toIntExact(end);
    size++;
  }

  /** The block that contains the event if the file does; -1 if it is before the first. */
  int block(long seq) {
    long wanted = seq - baseSeq;
    if (wanted < 0) {
      return -1;
    }
    int found = Arrays.binarySearch(seqs, 0, size, (int) Math.min(Integer.MAX_VALUE, wanted));
    return found >= 0 ? found : -found - 2;
  }

  int start(int block) {
    return starts[block];
  }

  int end(int block) {
    return ends[block];
  }

  int size() {
    return size;
  }

  /** How many events were written into the file. */
  long events() {
    return events;
  }

  /** Size of the events records. */
  long eventBytes() {
    return eventBytes;
  }

  void write(ByteWriter writer) {
    writer.number(events);
    writer.number(eventBytes);
    writer.number(size);
    for (int block = 0; block < size; block++) {
      writer.number(seqs[block] - (block == 0 ? 0L : seqs[block - 1]));
      writer.number(starts[block] - (block == 0 ? 0L : ends[block - 1]));
      writer.number(ends[block] - starts[block]);
    }
  }

  static BlockIndex read(ByteReader reader, int blockBytes, long baseSeq) {
    BlockIndex index = new BlockIndex(blockBytes, baseSeq);
    index.events = reader.number();
    index.eventBytes = reader.number();
    int size = reader.smallNumber();
    index.seqs = new int[Math.max(1, size)];
    index.starts = new int[Math.max(1, size)];
    index.ends = new int[Math.max(1, size)];
    int seq = 0;
    int end = 0;
    for (int block = 0; block < size; block++) {
      seq += reader.smallNumber();
      index.seqs[block] = seq;
      index.starts[block] = end + reader.smallNumber();
      end = index.starts[block] + reader.smallNumber();
      index.ends[block] = end;
    }
    index.size = size;
    return index;
  }

  /**
   * Index files of finished log files, so that opening the log need not read every event. A lost or
   * damaged one is rebuilt from its log file.
   */
  static final class IndexFiles {
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

    /** Empty if there is none, or if it belongs to another file. */
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
}
