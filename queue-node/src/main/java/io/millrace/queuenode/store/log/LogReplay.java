package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.EventLog.EventVisitor;
import io.millrace.queuenode.store.log.EventLog.LiveEvents;

/** Receives what opening a log reads: at most one image, then the records after it, in order. */
public interface LogReplay extends EventVisitor {
  /** The content of a checkpoint. */
  void image(ByteReader content);

  /** A record of a type defined by the store. */
  void record(int type, ByteReader content);

  /** The end of a group: everything so far is committed. */
  void groupEnded();

  /** The highest event number ever used; 0 for none. */
  long lastSeq();

  /** The events that are live after everything was read. */
  LiveEvents live();

  /**
   * The state that the log's groups have produced, at one moment: the content of a checkpoint.
   * Immutable, so that another thread can write it.
   */
  interface LogImage {
    void write(ByteWriter writer);

    LiveEvents live();
  }
}
