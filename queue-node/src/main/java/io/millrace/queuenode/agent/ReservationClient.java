package io.millrace.queuenode.agent;

import io.millrace.api.queue.QueueNodeAddress;
import io.millrace.api.weight.Reservation;
import io.millrace.api.weight.ReservationAnswer;

/** The nodes that weight may move to. Thread-safe. */
public interface ReservationClient {
  /**
   * Asks one of them to keep room. Blocks for some seconds at the most; a node that does not answer
   * is a refusal.
   */
  ReservationAnswer reserve(QueueNodeAddress receiver, Reservation reservation);
}
