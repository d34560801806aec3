package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.WholeFiles.Checksum;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * Where the events of one file are: an entry of twelve bytes for each block of some kilobytes, in
 * which the event is then looked for. One thread until the file is finished; then any.
 */
final class BlockIndex {
  /** Sequence numbers of one file's events are at most so far apart. */
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

  /** Adds an events record behind those that it knows. */
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

  /** The block in which the event is if it is in the file; -1 when it is before the first. */
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
   * Indexes of finished files, kept beside them so that an opening need not read every event. A
   * lost or damaged one is made again from its file.
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

    /** Empty when there is none, or not that of this very file. */
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
