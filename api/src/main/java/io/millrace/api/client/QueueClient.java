package io.millrace.api.client;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.Durations;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.LeaseRequest.Lease;
import io.millrace.api.event.ReceiptAnswer;
import io.millrace.api.event.ReceiptAnswer.Acknowledgement;
import io.millrace.api.event.ReceiptAnswer.Extension;
import io.millrace.api.event.ReceiptAnswer.Refusal;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.weight.MoveRequest.Reservation;
import io.millrace.api.weight.MoveRequest.Reservation.ReservationAnswer;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * The events' API, typed: sending through a load balancer or to a queue node, the rest on the queue
 * node that holds the segment. Every method blocks, and throws a {@link
 * io.millrace.api.MillraceException}. Thread-safe.
 */
public final class QueueClient {
  private static final Duration RESERVED_WITHIN = Duration.ofSeconds(3);

  private static final long LARGEST_LEASE = 256L << 20;

  private final ApiClient api;

  public QueueClient(ApiClient api) {
    this.api = api;
  }

  /**
   * Sends a batch; a batch that is sent again with the same name to the same node is stored once.
   * Of a queue of sessions each event is stored or refused for itself: {@link SendAnswer#refused}
   * says which are not stored, and the same batch sent again stores only those. If all are refused
   * for one reason, it is thrown.
   *
   * @param mediaType one of {@link EventMedia}
   */
  public SendAnswer send(String queue, String batch, String mediaType, byte[] body) {
    return send(queue, batch, mediaType, body, null, null);
  }

  /**
   * As above, with the delay and priority of events without their own.
   *
   * @param delay time before the first delivery; null for none
   * @param priority 0 to 9, the higher first; null for 0
   */
  public SendAnswer send(
      String queue, String batch, String mediaType, byte[] body, Duration delay, Integer priority) {
    String uri = path("/v1/queues/%s/events", queue);
    if (delay != null) {
      uri += "?" + EventMedia.DELAY_PARAMETER + "=" + Durations.format(delay);
    }
    if (priority != null) {
      uri += (delay == null ? "?" : "&") + EventMedia.PRIORITY_PARAMETER + "=" + priority;
    }
    HttpCall call =
        HttpCall.post(URI.create(uri), mediaType, body).with(EventMedia.BATCH_HEADER, batch);
    return api.send(call).as(SendAnswer.class);
  }

  public Lease lease(String queue, LeaseRequest request) {
    Duration wait = request.patience() == null ? Duration.ZERO : request.patience();
    HttpCall call =
        HttpCall.post(URI.create(path("/v1/queues/%s/leases", queue)), request)
            .within(wait.plusSeconds(15))
            .answeredWithin(LARGEST_LEASE);
    return api.send(call).as(Lease.class);
  }

  public ReceiptAnswer acknowledge(String queue, Acknowledgement receipts) {
    return api.post(path("/v1/queues/%s/acks", queue), receipts).as(ReceiptAnswer.class);
  }

  public ReceiptAnswer refuse(String queue, Refusal refusal) {
    return api.post(path("/v1/queues/%s/nacks", queue), refusal).as(ReceiptAnswer.class);
  }

  public ReceiptAnswer extend(String queue, Extension extension) {
    return api.post(path("/v1/queues/%s/extensions", queue), extension).as(ReceiptAnswer.class);
  }

  /** The figures of all segments of the node. */
  public List<SegmentFigures> figures() {
    return List.of(api.get("/v1/segments").as(SegmentFigures[].class));
  }

  /** The figures of the node's segment of a queue. */
  public SegmentFigures figures(String queue) {
    return api.get(path("/v1/segments/%s", queue)).as(SegmentFigures.class);
  }

  /**
   * Asks the node to reserve capacity for weight that is about to move to it; answers within
   * seconds.
   */
  public ReservationAnswer reserve(Reservation reservation) {
    HttpCall call =
        HttpCall.post(URI.create("/v1/reservations"), reservation).within(RESERVED_WITHIN);
    return api.send(call).as(ReservationAnswer.class);
  }
}
