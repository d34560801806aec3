package io.millrace.cli.invocation;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.QueueClient;
import io.millrace.api.node.BalancerReport.BalancerAddress;
import io.millrace.cli.invocation.Targeting.Target;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** A connection to one cluster with a user's token. Thread-safe once the token was read. */
public final class Connection {
  private final HttpTransport transport;
  private final Supplier<String> token;
  private final ApiClient api;

  public Connection(HttpTransport transport, Target target) {
    this.transport = transport;
    this.token = new LazyToken(target.tokenFile());
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
    List<URI> addresses = central().loadBalancers().stream().map(BalancerAddress::address).toList();
    if (addresses.isEmpty()) {
      throw new MillraceException(
          ErrorCode.UNREACHABLE,
          "no load balancer is running; start one with 'bin/millrace load-balancer'");
    }
    return new QueueClient(new ApiClient(transport, new Endpoints(addresses), token));
  }

  /** The server at an address, such as a queue node, untyped. */
  public ApiClient at(URI address) {
    return new ApiClient(transport, new Endpoints(List.of(address)), token);
  }

  /** The token of a file, read on first use; null without a file. Not thread-safe before that. */
  private static final class LazyToken implements Supplier<String> {
    private final Path path;
    private String token;

    LazyToken(Path path) {
      this.path = path;
    }

    @Override
    public String get() {
      if (token == null && path != null) {
        token = read();
      }
      return token;
    }

    private String read() {
      try {
        return TokenFile.read(path)
            .orElseThrow(() -> refusal("%s contains no token".formatted(path), null));
      } catch (IOException e) {
        throw refusal("cannot read token file %s (%s)".formatted(path, FileFailure.reason(e)), e);
      }
    }

    private static MillraceException refusal(String problem, IOException cause) {
      return new MillraceException(
          ErrorCode.UNAUTHENTICATED,
          problem + "; specify another one with --token-file or MILLRACE_TOKEN_FILE",
          cause);
    }
  }

  /**
   * A one-time login link for the dashboard.
   *
   * @param code in the link
   * @param url the link
   */
  public record LoginLink(String code, String url) {
    /** Requests one from the server, for the user of the token. */
    public static LoginLink create(ApiClient api) {
      return api.post("/v1/login-codes", null).as(LoginLink.class);
    }
  }
}
