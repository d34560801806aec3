package io.millrace.cli.invocation;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.QueueClient;
import io.millrace.api.node.BalancerReport;
import io.millrace.cli.invocation.Targeting.Target;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
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
          "no load balancer is running; start one with 'bin/millrace load-balancer'");
    }
    return new QueueClient(new ApiClient(transport, new Endpoints(addresses), token));
  }

  /** A token in a file, read on first use. Not thread-safe before that. */
  private static final class TokenFile implements Supplier<String> {
    private final Path path;
    private String token;

    /** No token if the path is null. */
    TokenFile(Path path) {
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
        return Files.readString(path).strip();
      } catch (IOException e) {
        throw new MillraceException(
            ErrorCode.UNAUTHENTICATED,
            ("cannot read token file %s (%s); specify another one with --token-file or"
                    + " MILLRACE_TOKEN_FILE")
                .formatted(path, e.getClass().getSimpleName()),
            e);
      }
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
