package io.millrace.api.client;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Sends calls with a bearer token to the first server that answers. A call goes to another server
 * only when nothing of it was sent. Thread-safe.
 */
public final class ApiClient {
  // Answered by a server that cannot reach what it depends on; another server may be able to.
  private static final Set<ErrorCode> CUT_OFF =
      EnumSet.of(ErrorCode.UNAVAILABLE, ErrorCode.TIMEOUT, ErrorCode.STORE_FAILURE);

  private final HttpTransport transport;
  private final Endpoints endpoints;
  private final Supplier<String> token;

  /** The token is requested for each call, so that it can be renewed; null sends none. */
  public ApiClient(HttpTransport transport, Endpoints endpoints, Supplier<String> token) {
    this.transport = transport;
    this.endpoints = endpoints;
    this.token = token;
  }

  /** A path with its variables encoded: {@code path("/v1/jobs/%s", 17)}. */
  public static String path(String pattern, Object... variables) {
    Object[] encoded = new Object[variables.length];
    for (int i = 0; i < variables.length; i++) {
      encoded[i] = encode(String.valueOf(variables[i]));
    }
    return String.format(java.util.Locale.ROOT, pattern, encoded);
  }

  /** Encodes a path segment or a query value. */
  public static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** The number of servers. */
  public int servers() {
    return endpoints.size();
  }

  public HttpAnswer get(String path) {
    return send(HttpCall.get(URI.create(path)));
  }

  public HttpAnswer post(String path, Object json) {
    return send(HttpCall.post(URI.create(path), json));
  }

  public HttpAnswer delete(String path) {
    return send(HttpCall.delete(URI.create(path)));
  }

  /**
   * Sends a call whose URI is a path.
   *
   * @throws MillraceException UNREACHABLE when no server answered, or the answer's problem
   */
  public HttpAnswer send(HttpCall call) {
    return exchange(call, located -> transport.send(located).orThrow());
  }

  /** As {@link #send}, with the body as it arrives. */
  public InputStream stream(HttpCall call) {
    return exchange(call, transport::stream);
  }

  private <T> T exchange(HttpCall call, Exchange<T> exchange) {
    IOException last = null;
    for (int tried = 0; tried < endpoints.size(); tried++) {
      URI server = endpoints.current();
      try {
        return exchange.run(located(call, server));
      } catch (MillraceException e) {
        if (CUT_OFF.contains(e.code())) {
          endpoints.turnFrom(server);
        }
        throw e;
      } catch (NothingSentException e) {
        endpoints.turnFrom(server);
        last = e;
      } catch (IOException e) {
        // The next call goes elsewhere: a server that accepts calls and answers none may be frozen.
        endpoints.turnFrom(server);
        throw new MillraceException(
            ErrorCode.UNREACHABLE,
            server
                + " did not answer "
                + call.method()
                + " "
                + call.uri()
                + ": "
                + words(e)
                + "; whether it was carried out is unknown",
            e);
      }
    }
    throw new MillraceException(
        ErrorCode.UNREACHABLE,
        words(last) + "; start one with 'millrace up', or name it with --server or MILLRACE_URL",
        last);
  }

  private HttpCall located(HttpCall call, URI server) {
    HttpCall located = call.at(server.resolve(call.uri()));
    String bearer = token.get();
    return bearer == null ? located : located.with("Authorization", "Bearer " + bearer);
  }

  private static String words(IOException e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  private interface Exchange<T> {
    T run(HttpCall call) throws IOException;
  }

  /**
   * A page of a list that is collected from several queue nodes.
   *
   * @param found in the order of the list
   * @param unreached queue nodes that hold a segment and did not answer, so that their part is
   *     missing
   * @param next passed to get the next page; null if there is none
   */
  public record Listing<T>(List<T> found, List<String> unreached, String next) {
    static final String UNREACHED_HEADER = "millrace-unreached";
    static final String NEXT_HEADER = "millrace-next";

    static <T> Listing<T> of(HttpAnswer answer, Class<T[]> type) {
      return new Listing<>(
          List.of(answer.as(type)), unreached(answer), answer.headers().get(NEXT_HEADER));
    }

    static List<String> unreached(HttpAnswer answer) {
      String unreached = answer.headers().getOrDefault(UNREACHED_HEADER, "");
      return unreached.isEmpty() ? List.of() : List.of(unreached.split(","));
    }
  }
}
