package io.millrace.api.client;

import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionWorkerToken;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** The queue node whose sessions a job is for; the job's token is renewed. Thread-safe. */
final class JobQueueNode implements SessionNodes {
  private final NodePlace node;
  private final HttpTransport transport;
  private final RenewedToken token;
  // Null if the token cannot be renewed.
  private final SessionClient central;
  private final String queue;
  private final String secret;
  private volatile boolean began;

  /** The node of an attempt, by its variables. */
  JobQueueNode(Map<String, String> environment, HttpTransport transport, LongSupplier nanoTime) {
    this.node = new NodePlace("segment", URI.create(environment.get("MILLRACE_URL")));
    this.transport = transport;
    this.queue = environment.get("MILLRACE_QUEUE");
    this.secret = environment.get("MILLRACE_SECRET");
    this.token = new RenewedToken(environment.get("MILLRACE_TOKEN"), this::nextToken, nanoTime);
    String managers = environment.getOrDefault("MILLRACE_MANAGERS", "");
    this.central = secret == null || managers.isBlank() ? null : client(managers);
  }

  private SessionClient client(String managers) {
    List<URI> servers = Arrays.stream(managers.split(",")).map(URI::create).toList();
    return new SessionClient(new ApiClient(transport, new Endpoints(servers), token));
  }

  private SessionWorkerToken nextToken() {
    return central.workerToken(queue, secret);
  }

  @Override
  public List<NodePlace> current() {
    try {
      if (central != null) {
        token.renew();
      }
    } catch (MillraceException e) {
      // That of the start is good for hours.
      if (began) {
        throw e;
      }
    }
    began = true;
    return List.of(node);
  }

  @Override
  public ApiClient at(URI address) {
    return new ApiClient(transport, new Endpoints(List.of(address)), token);
  }

  @Override
  public void refused() {
    token.refused();
  }

  /** Without the token and the secret. */
  @Override
  public String toString() {
    return "JobQueueNode[" + node + "]";
  }
}
