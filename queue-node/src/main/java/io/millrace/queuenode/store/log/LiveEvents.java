package io.millrace.queuenode.store.log;

/** The events that are not finished at some moment. */
public interface LiveEvents {
  boolean contains(long seq);

  /** How many there are from one number up to, not including, another. */
  long count(long fromSeq, long toSeq);
}
