package io.millrace.api.client;

import io.millrace.api.queue.QueueNodeView;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** Finds the queue nodes at which a session worker registers. Thread-safe. */
public interface SessionNodes {
  /**
   * The nodes that have sessions of the queue, possibly none; asked for every ten seconds. Blocks.
   *
   * @throws io.millrace.api.MillraceException if they cannot be found out now
   */
  List<NodePlace> current();

  /** The server at an address. */
  ApiClient at(URI address);

  /** A queue node has refused the worker's token. */
  default void refused() {}

  /**
   * A queue node.
   *
   * @param name its name, which never changes
   * @param address where it answers now
   */
  record NodePlace(String name, URI address) {}

  /**
   * As the central managers know them. Queue nodes get a token that the central managers issue for
   * the session workers of the queue; that of the client goes to central managers only.
   *
   * @param central with a token of role operator
   * @param transport to the queue nodes
   */
  static SessionNodes of(CentralClient central, String queue, HttpTransport transport) {
    return of(central, queue, transport, System::nanoTime);
  }

  /**
   * The same with another clock.
   *
   * @param nanoTime monotonic nanoseconds
   */
  static SessionNodes of(
      CentralClient central, String queue, HttpTransport transport, LongSupplier nanoTime) {
    RenewedToken token =
        new RenewedToken(null, () -> central.sessions().workerToken(queue, null), nanoTime);
    return new SessionNodes() {
      @Override
      public List<NodePlace> current() {
        token.renew();
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

      @Override
      public void refused() {
        token.refused();
      }
    };
  }

  /**
   * The queue node whose sessions the job of this process is for. The job's token is renewed at the
   * central managers while its attempt is the current one.
   *
   * @param environment of the attempt: MILLRACE_URL, MILLRACE_TOKEN, MILLRACE_QUEUE, and if the
   *     token is to be renewed, MILLRACE_MANAGERS and MILLRACE_SECRET
   */
  static SessionNodes ofJob(Map<String, String> environment, HttpTransport transport) {
    return ofJob(environment, transport, System::nanoTime);
  }

  /**
   * The same with another clock.
   *
   * @param nanoTime monotonic nanoseconds
   */
  static SessionNodes ofJob(
      Map<String, String> environment, HttpTransport transport, LongSupplier nanoTime) {
    return new JobQueueNode(environment, transport, nanoTime);
  }
}
