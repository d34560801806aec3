package io.millrace.api.client;

import io.millrace.api.queue.QueueNodeView;
import java.net.URI;
import java.util.List;
import java.util.function.Supplier;

/** Finds the queue nodes at which a session worker registers. Thread-safe. */
public interface SessionNodes {
  /**
   * The nodes that have sessions of the queue, possibly none. Blocks.
   *
   * @throws io.millrace.api.MillraceException if they cannot be found out now
   */
  List<NodePlace> current();

  /** The server at an address. */
  ApiClient at(URI address);

  /**
   * A queue node.
   *
   * @param name its name, which never changes
   * @param address where it answers now
   */
  record NodePlace(String name, URI address) {}

  /**
   * As the central managers know them.
   *
   * @param token of role operator; asked for with each call
   */
  static SessionNodes of(
      CentralClient central, String queue, HttpTransport transport, Supplier<String> token) {
    return new SessionNodes() {
      @Override
      public List<NodePlace> current() {
        return central.backups().queueNodes().stream()
            .filter(node -> node.live() && node.address() != null && holds(node))
            .map(node -> new NodePlace(node.name(), node.address()))
            .toList();
      }

      private boolean holds(QueueNodeView node) {
        return node.segments().stream().anyMatch(segment -> segment.queue().equals(queue));
      }

      @Override
      public ApiClient at(URI address) {
        return new ApiClient(transport, new Endpoints(List.of(address)), token);
      }
    };
  }
}
