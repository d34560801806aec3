package io.millrace.queuenode.session;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.api.session.SlotPage;
import io.millrace.platform.http.NodeCalls;
import io.millrace.platform.identity.Role;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/** The nodes that get slots from this one. Thread-safe. */
@FunctionalInterface
public interface SlotReceivers {
  /**
   * Sends a part of a slot, which may have been sent before. Blocks until the receiver has it on
   * disk.
   *
   * @throws io.millrace.api.MillraceException if it has not, or that is unknown
   */
  void send(QueueNodeAddress receiver, String queue, SlotPage page);

  /** Sends over HTTP in the node's name. */
  final class HttpSlotReceivers implements SlotReceivers {
    private static final Duration SENT_WITHIN = Duration.ofSeconds(30);

    private final NodeCalls calls;

    public HttpSlotReceivers(NodeCalls calls) {
      this.calls = calls;
    }

    @Override
    public void send(QueueNodeAddress receiver, String queue, SlotPage page) {
      ApiClient client =
          new ApiClient(
              calls.to(Role.QUEUE_NODE, receiver.name()),
              new Endpoints(List.of(receiver.address())),
              () -> null);
      String path = ApiClient.path("/v1/queues/%s/slots/%s/parts", queue, page.slot());
      client.send(HttpCall.post(URI.create(path), page).within(SENT_WITHIN));
    }
  }
}
