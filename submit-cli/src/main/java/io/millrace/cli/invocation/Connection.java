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

  /** A token kept in a file, read once when first needed. Not thread-safe before that. */
  private static final class TokenFile implements Supplier<String> {
    private final Path path;
    private String token;

    /** Null stands for no token. */
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
            "the token file "
                + path
                + " cannot be read ("
                + e.getClass().getSimpleName()
                + "); name another with --token-file or MILLRACE_TOKEN_FILE",
            e);
      }
    }
  }

  /**
   * A link that logs a browser in once.
   *
   * @param code what the link holds
   * @param url the link
   */
  public record LoginLink(String code, String url) {
    /** Asks the server for one; whoever uses it is who asked. */
    public static LoginLink create(ApiClient api) {
      return api.post("/v1/login-codes", null).as(LoginLink.class);
    }
  }
}
