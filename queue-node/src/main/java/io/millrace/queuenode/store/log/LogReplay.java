package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.EventLog.EventVisitor;
import io.millrace.queuenode.store.log.EventLog.LiveEvents;

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

  /**
   * Everything that the log's groups have made of the store, at one moment: what a checkpoint
   * holds. Never changes, so that another thread can write it.
   */
  interface LogImage {
    void write(ByteWriter writer);

    LiveEvents live();
  }
}
