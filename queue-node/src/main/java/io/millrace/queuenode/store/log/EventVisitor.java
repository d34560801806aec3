package io.millrace.queuenode.store.log;

import java.io.IOException;

/** Takes events that are read from the log. */
@FunctionalInterface
public interface EventVisitor {
  /**
   * One event.
   *
   * @param common what it has in common with its neighbours; read from its start at each call
   * @param content its own
   */
  void event(long seq, ByteReader common, ByteReader content) throws IOException;
}
