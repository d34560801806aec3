package io.millrace.queuenode.store.log;

/**
 * Everything that the log's groups have made of the store, at one moment: what a checkpoint holds.
 * Never changes, so that another thread can write it.
 */
public interface LogImage {
  void write(ByteWriter writer);

  LiveEvents live();
}
