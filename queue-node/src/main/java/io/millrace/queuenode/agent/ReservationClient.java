package io.millrace.queuenode.agent;

import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.QueueClient;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.api.weight.Reservation;
import io.millrace.api.weight.Reservation.ReservationAnswer;
import java.util.List;
import java.util.function.Supplier;

/** The nodes that weight may move to. Thread-safe. */
public interface ReservationClient {
  /**
   * Asks one of them to keep room. Blocks for some seconds at the most; a node that does not answer
   * is a refusal.
   */
  ReservationAnswer reserve(QueueNodeAddress receiver, Reservation reservation);

  /** Receivers over HTTP, asked with the node's own token. Thread-safe. */
  final class HttpReservationClient implements ReservationClient {
    private final HttpTransport transport;
    private final Supplier<String> token;

    public HttpReservationClient(HttpTransport transport, Supplier<String> token) {
      this.transport = transport;
      this.token = token;
    }

    @Override
    public ReservationAnswer reserve(QueueNodeAddress receiver, Reservation reservation) {
      Endpoints endpoint = new Endpoints(List.of(receiver.address()));
      try {
        return new QueueClient(new ApiClient(transport, endpoint, token)).reserve(reservation);
      } catch (MillraceException e) {
        return new ReservationAnswer(false, receiver.name() + " did not answer: " + e.getMessage());
      }
    }
  }
}
