package io.millrace.queuenode.store;

/** The contract over the store in memory. */
class MemorySegmentStoreTest extends SegmentStoreContract {
  private final MemorySegmentStore memory = new MemorySegmentStore();

  @Override
  protected SegmentStore open() {
    return memory.open(clock);
  }
}
