package io.millrace.platform.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import io.millrace.platform.openapi.RouteDescription;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Stands before all routes: requests occupy only some of the server's threads, in all and of one
 * client, and fewer if the caller is a stranger. The others answer brief requests, such as {@code
 * /livez}, and refuse those beyond the bounds; neither waits for a client. Thread-safe.
 */
final class RequestThreads extends Handler.Wrapper {
  private static final String TURN = "millrace.turn";
  private static final byte[] BUSY =
      Json.writeBytes(
          Problem.of(
              ErrorCode.UNAVAILABLE,
              "this server handles too many requests at a time; send again later"));

  private final ServerBounds bounds;
  private final Predicate<String> hosts;
  private final Map<String, Brief> briefs;
  private final AtomicInteger threads = new AtomicInteger();
  private final AtomicInteger strangers = new AtomicInteger();

  /**
   * A handler without a next one.
   *
   * @param hosts the values of the Host header that the server answers to
   * @param briefs routes for everybody that never block
   */
  RequestThreads(ServerBounds bounds, Predicate<String> hosts, List<Brief> briefs) {
    this.bounds = bounds;
    this.hosts = hosts;
    this.briefs = briefs.stream().collect(Collectors.toUnmodifiableMap(Brief::path, one -> one));
  }

  /**
   * The answer of a route that never blocks.
   *
   * @param text must not block
   */
  record Brief(
      String path, String mediaType, Supplier<String> text, RouteDescription description) {}

  /** A request's use of a thread. */
  private final class Turn {
    private final Client client;
    private final EndPoint endPoint;
    // Used only by the thread of the request.
    private boolean stranger;

    Turn(Client client, EndPoint endPoint) {
      this.client = client;
      this.endPoint = endPoint;
    }

    boolean enterStranger() {
      if (!stranger && Client.enter(strangers, bounds.strangers())) {
        if (Client.enter(client.strangers(), bounds.strangersOfClient())) {
          stranger = true;
        } else {
          strangers.decrementAndGet();
        }
      }
      return stranger;
    }

    void leaveStranger() {
      if (stranger) {
        stranger = false;
        client.strangers().decrementAndGet();
        strangers.decrementAndGet();
      }
    }

    void end() {
      leaveStranger();
      client.threads().decrementAndGet();
      threads.decrementAndGet();
    }
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    Brief brief = brief(request);
    if (brief != null) {
      answer(response, brief, request.getMethod().equals("HEAD"), callback);
      return true;
    }
    Client client = ConnectionLimits.client(request.getConnectionMetaData());
    if (isStrangerTooMany(request, client) || !enter(client)) {
      refuse(response, callback);
      return true;
    }
    Turn turn = new Turn(client, request.getConnectionMetaData().getConnection().getEndPoint());
    request.setAttribute(TURN, turn);
    try {
      return super.handle(request, response, callback);
    } finally {
      turn.end();
    }
  }

  /** The client of a request. */
  static Client client(Context ctx) {
    return turn(ctx).client;
  }

  /** Its connection. */
  static EndPoint connection(Context ctx) {
    return turn(ctx).endPoint;
  }

  /**
   * Counts the request's thread as one that serves a stranger; beyond the bounds the connection is
   * closed, because even a refusal waits for clients that do not read it.
   *
   * @throws MillraceException UNAVAILABLE, for a client that no longer hears it
   */
  static void requireRoomForStranger(Context ctx) {
    Turn turn = turn(ctx);
    if (!turn.enterStranger()) {
      turn.endPoint.close();
      throw new MillraceException(
          ErrorCode.UNAVAILABLE, "too many requests without valid credentials are being served");
    }
  }

  /** Leaves the stranger's place to another one, when his request is bounded in another way. */
  static void leaveRoomOfStranger(Context ctx) {
    turn(ctx).leaveStranger();
  }

  private static Turn turn(Context ctx) {
    if (ctx.req().getAttribute(TURN) instanceof Turn turn) {
      return turn;
    }
    throw new IllegalStateException("the server of " + ctx.path() + " counts no threads");
  }

  private Brief brief(Request request) {
    Brief brief = briefs.get(request.getHttpURI().getPath());
    if (brief == null) {
      return null;
    }
    boolean get = request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
    HttpFields fields = request.getHeaders();
    // Anything unusual is left to the routes.
    boolean usual =
        !fields.contains(HttpHeader.TRANSFER_ENCODING)
            && fields.getLongField(HttpHeader.CONTENT_LENGTH) <= 0
            && hosts.test(fields.get(HttpHeader.HOST));
    return get && usual ? brief : null;
  }

  // Known without looking at credentials, so that the refusal needs no thread.
  private boolean isStrangerTooMany(Request request, Client client) {
    boolean tooMany =
        strangers.get() >= bounds.strangers()
            || client.strangers().get() >= bounds.strangersOfClient();
    return tooMany
        && !request.getHeaders().contains(HttpHeader.AUTHORIZATION)
        && !request.getHeaders().contains(HttpHeader.COOKIE);
  }

  private boolean enter(Client client) {
    if (!Client.enter(threads, bounds.requests())) {
      return false;
    }
    if (!Client.enter(client.threads(), bounds.requestsOfClient())) {
      threads.decrementAndGet();
      return false;
    }
    return true;
  }

  private static void answer(Response response, Brief brief, boolean head, Callback callback) {
    byte[] text = brief.text().get().getBytes(StandardCharsets.UTF_8);
    HttpFields.Mutable fields = response.getHeaders();
    SecurityHeaders.ALL.forEach(fields::put);
    if (brief.path().startsWith("/v1/")) {
      fields.put(HttpHeader.CACHE_CONTROL, "no-store");
    }
    fields.put(HttpHeader.CONTENT_TYPE, brief.mediaType());
    fields.put(HttpHeader.CONTENT_LENGTH, text.length);
    response.setStatus(200);
    response.write(true, ByteBuffer.wrap(head ? new byte[0] : text), callback);
  }

  private static void refuse(Response response, Callback callback) {
    HttpFields.Mutable fields = response.getHeaders();
    SecurityHeaders.ALL.forEach(fields::put);
    fields.put(HttpHeader.CONTENT_TYPE, Problem.MEDIA_TYPE);
    fields.put(HttpHeader.RETRY_AFTER, "1");
    fields.put(HttpHeader.CONNECTION, "close");
    response.setStatus(ErrorCode.UNAVAILABLE.status());
    response.write(true, ByteBuffer.wrap(BUSY), callback);
  }
}
