package io.millrace.queuenode.store.log;

import java.util.Arrays;

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
}
