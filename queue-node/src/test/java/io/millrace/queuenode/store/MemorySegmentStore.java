package io.millrace.queuenode.store;

import io.millrace.platform.clock.Clock;

/**
 * Stores in memory, for tests. What one opening committed the next one of the same object finds, as
 * with a file. One thread at a time.
 */
public final class MemorySegmentStore {
  private final Rows rows;

  public MemorySegmentStore() {
    this(SegmentStore.defaultRememberedBatches());
  }

  /** A store that remembers that many batch names. */
  public MemorySegmentStore(int rememberedBatches) {
    this.rows = new MemoryRows(rememberedBatches);
  }

  /** Opens the store; the one opened before must be closed. */
  public SegmentStore open(Clock clock) {
    return new RowSegmentStore(rows, clock);
  }
}
