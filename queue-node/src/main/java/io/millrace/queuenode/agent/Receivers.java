package io.millrace.queuenode.agent;

import io.millrace.api.balancing.Reservation;
import io.millrace.api.balancing.ReservationAnswer;
import io.millrace.api.queue.QueueNodeAddress;

/** The nodes that weight may move to. Thread-safe. */
public interface Receivers {
  /**
   * Asks one of them to keep room. Blocks for some seconds at the most; a node that does not answer
   * is a refusal.
   */
  ReservationAnswer reserve(QueueNodeAddress receiver, Reservation reservation);
}
