package io.millrace.queuenode.rescue;

import io.millrace.queuenode.store.NewEvent;
import java.util.List;

/** Where rescued events go. */
public interface RescueTarget {
  /**
   * Hands a batch over; it is somebody else's when this returns. Blocks, and may wait long where
   * there is no room.
   *
   * @param batch the same name for the same events, however often they are handed over
   * @param events their delays are what is left of them
   * @throws io.millrace.api.MillraceException when it was not taken, or nobody knows
   */
  void send(String queue, String batch, List<NewEvent> events) throws InterruptedException;
}
