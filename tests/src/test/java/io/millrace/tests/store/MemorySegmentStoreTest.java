package io.millrace.tests.store;

import io.millrace.queuenode.store.MemorySegmentStore;
import io.millrace.queuenode.store.SegmentStore;

/** The contract over the store in memory. */
class MemorySegmentStoreTest extends SegmentStoreContract {
  private final MemorySegmentStore memory = new MemorySegmentStore(REMEMBERED);

  @Override
  protected SegmentStore open() {
    return memory.open(clock);
  }
}
