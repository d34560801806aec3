package io.millrace.cli.connection;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.QueueClient;
import io.millrace.api.node.BalancerReport;
import java.net.URI;
import java.util.List;
import java.util.function.Supplier;

/** The way to one cluster, with a user's token. Thread-safe once its token was read. */
public final class Connection {
  private final HttpTransport transport;
  private final Supplier<String> token;
  private final ApiClient api;

  public Connection(HttpTransport transport, Target target) {
    this.transport = transport;
    this.token = new TokenFile(target.tokenFile());
    this.api = new ApiClient(transport, new Endpoints(target.servers()), token);
  }

  /** The central managers, untyped. */
  public ApiClient api() {
    return api;
  }

  /** The central managers. */
  public CentralClient central() {
    return new CentralClient(api);
  }

  /** The load balancers that the central manager knows. */
  public QueueClient balancers() {
    List<URI> addresses =
        central().overview().balancers().stream().map(BalancerReport::address).toList();
    if (addresses.isEmpty()) {
      throw new MillraceException(
          ErrorCode.UNREACHABLE,
          "no load balancer is up; start one with 'bin/millrace load-balancer'");
    }
    return new QueueClient(new ApiClient(transport, new Endpoints(addresses), token));
  }
}
