package io.millrace.queuenode.store.log;

/**
 * Takes what an opening reads: at most one image, then the records that came after it, in order.
 */
public interface LogReplay extends EventVisitor {
  /** The content of a checkpoint. */
  void image(ByteReader content);

  /** A record of the store's own type. */
  void record(int type, ByteReader content);

  /** The end of a group: what came so far is settled. */
  void groupEnded();

  /** The highest number that an event ever had; 0 for none. */
  long lastSeq();

  /** What is live after all that. */
  LiveEvents live();
}
