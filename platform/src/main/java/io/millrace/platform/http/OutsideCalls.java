package io.millrace.platform.http;

import io.millrace.api.WebAddress;
import io.millrace.api.client.HttpTransport.AnswerTooLargeException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpResponseException;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.SocketAddressResolver;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * Sends requests to addresses that users chose. A host name is resolved once for each connection:
 * the connection is made to the addresses that were checked, so that a name whose addresses change
 * reaches no others. If one address of a name is refused, the name is. Certificates are checked
 * against the host name. Redirects are not followed, no cookies and connections are kept, answers
 * are not decompressed, and no proxy is used. Thread-safe; blocks the caller.
 */
public final class OutsideCalls implements Service {
  private static final int THREADS = 8;
  private static final int RESOLVING = 4;
  private static final int MAX_HEADERS = 16 << 10;
  private static final Duration CONNECT = Duration.ofSeconds(3);
  private static final Duration IDLE = Duration.ofSeconds(5);

  private final HttpClient client;
  // A lookup cannot be ended, so each may keep its thread for as long as the system takes.
  private final ExecutorService resolving =
      new ThreadPoolExecutor(
          0, RESOLVING, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), Threads.daemons("resolve"));

  /**
   * Calls that have not started.
   *
   * @param privateAddresses whether this machine and private networks may be called
   */
  public OutsideCalls(NameResolver names, boolean privateAddresses) {
    this(
        names,
        privateAddresses ? address -> false : ReservedNetworks::contain,
        new SslContextFactory.Client());
  }

  /**
   * Calls by another rule.
   *
   * @param refused the addresses to which no connection is made
   */
  OutsideCalls(
      NameResolver names, Predicate<InetAddress> refused, SslContextFactory.Client certificates) {
    QueuedThreadPool threads = new QueuedThreadPool(THREADS, 1);
    threads.setName("outside-calls");
    threads.setDaemon(true);
    threads.setReservedThreads(0);
    ClientConnector connector = new ClientConnector();
    connector.setSelectors(1);
    connector.setSslContextFactory(certificates);
    this.client = new HttpClient(new HttpClientTransportOverHTTP(connector));
    client.setExecutor(threads);
    client.setSocketAddressResolver(new CheckedAddresses(names, refused, resolving));
    client.setFollowRedirects(false);
    client.setHttpCookieStore(new HttpCookieStore.Empty());
    client.setConnectTimeout(CONNECT.toMillis());
    client.setIdleTimeout(IDLE.toMillis());
    client.setDestinationIdleTimeout(IDLE.toMillis());
    client.setMaxResponseHeadersSize(MAX_HEADERS);
    client.setUserAgentField(null);
  }

  @Override
  public void start() {
    try {
      client.start();
    } catch (Exception e) {
      throw new IllegalStateException("the client of web addresses could not start", e);
    }
    // A short answer must not become a large one.
    client.getContentDecoderFactories().clear();
    // Answers 401 and 3xx are answers, and nothing is sent because of them.
    client.getProtocolHandlers().clear();
  }

  @Override
  public void stop() {
    resolving.shutdownNow();
    try {
      client.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the client of web addresses could not stop", e);
    }
  }

  /**
   * Sends the request and reads the complete answer. Blocks up to the request's time-out, which
   * includes resolving the name, however slowly the answer arrives.
   *
   * @throws RefusedAddressException when the address is not one that may be called; nothing was
   *     sent
   * @throws TooManyLookupsException when the name was not resolved because of others; nothing was
   *     sent, which says nothing about the address
   * @throws AnswerTooLargeException when the answer is larger than the request allows
   * @throws IOException when the outcome is unknown
   */
  public HttpAnswer send(HttpCall call) throws IOException {
    requirePlainWebAddress(call.uri());
    Request request = client.newRequest(call.uri()).method(call.method());
    request.headers(
        headers -> {
          call.headers().forEach(headers::put);
          headers.put("Connection", "close");
        });
    if (call.body().length > 0) {
      request.body(new BytesRequestContent(call.headers().get("Content-Type"), call.body()));
    }
    BoundedAnswer answer = new BoundedAnswer(call);
    request.send(answer);
    try {
      return answer.complete.get(call.timeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw failure(e.getCause());
    } catch (TimeoutException e) {
      abort(request, e);
      IOException late =
          new HttpTimeoutException("no complete answer arrived within " + call.timeout());
      late.initCause(e);
      throw late;
    } catch (InterruptedException e) {
      abort(request, e);
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting");
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  /**
   * Why an address is refused without privateAddresses, as far as that is known without looking up
   * a name: its host is written as an IP address. Does not block.
   */
  public static Optional<String> refusal(URI address) {
    return Optional.ofNullable(address.getHost())
        .flatMap(ReservedNetworks::literal)
        .filter(ReservedNetworks::contain)
        .map(reserved -> CheckedAddresses.refusal(reserved.getHostAddress(), reserved));
  }

  private static void requirePlainWebAddress(URI address) throws RefusedAddressException {
    if (!WebAddress.isWebScheme(address.getScheme())) {
      throw new RefusedAddressException("only http and https addresses are allowed");
    }
    if (address.getHost() == null || address.getUserInfo() != null) {
      throw new RefusedAddressException("the address contains no host, or contains a user");
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // says only whether the exchange had ended before
  private static void abort(Request request, Throwable cause) {
    request.abort(cause);
  }

  private static IOException failure(Throwable cause) {
    if (cause instanceof RefusedAddressException
        || cause instanceof TooManyLookupsException
        || cause instanceof AnswerTooLargeException) {
      return (IOException) cause;
    }
    // The client's messages of these contain the request with its path, which may be a secret.
    if (cause instanceof EOFException) {
      return new IOException("the connection was closed without a complete answer", cause);
    }
    if (cause instanceof HttpResponseException) {
      return new IOException("the answer is not HTTP", cause);
    }
    return new IOException(
        cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage(), cause);
  }

  /** The address is not one that may be called; nothing was sent. */
  public static final class RefusedAddressException extends IOException {
    private static final long serialVersionUID = 1L;

    RefusedAddressException(String message) {
      super(message);
    }
  }

  /** As many names as possible are being resolved, of other addresses; nothing was sent. */
  public static final class TooManyLookupsException extends IOException {
    private static final long serialVersionUID = 1L;

    TooManyLookupsException(Throwable cause) {
      super("too many names are being resolved; try again later", cause);
    }
  }

  /** Gives the client only addresses that were checked; its connections know no other way. */
  private record CheckedAddresses(
      NameResolver names, Predicate<InetAddress> refused, ExecutorService resolving)
      implements SocketAddressResolver {
    @Override
    public void resolve(
        String host,
        int port,
        Map<String, Object> context,
        Promise<List<InetSocketAddress>> promise) {
      try {
        resolving.execute(() -> answer(host, port, promise));
      } catch (RejectedExecutionException e) {
        promise.failed(new TooManyLookupsException(e));
      }
    }

    private void answer(String host, int port, Promise<List<InetSocketAddress>> promise) {
      try {
        List<InetAddress> found = names.resolve(host);
        for (InetAddress address : found) {
          if (refused.test(address)) {
            promise.failed(new RefusedAddressException(refusal(host, address)));
            return;
          }
        }
        List<InetSocketAddress> checked = new ArrayList<>();
        for (InetAddress address : found) {
          checked.add(new InetSocketAddress(named(host, address), port));
        }
        promise.succeeded(checked);
      } catch (UnknownHostException e) {
        promise.failed(new IOException("unknown host " + host, e));
      } catch (RuntimeException e) {
        promise.failed(e);
      }
    }

    // The client compares certificates with the name that the address carries.
    private static InetAddress named(String host, InetAddress address) throws UnknownHostException {
      return address instanceof Inet6Address six
          ? Inet6Address.getByAddress(host, six.getAddress(), six.getScopeId())
          : InetAddress.getByAddress(host, address.getAddress());
    }

    static String refusal(String host, InetAddress address) {
      String literal = address.getHostAddress();
      return "%s a private address; set notifications.privateAddresses of the central managers to allow it"
          .formatted(host.equals(literal) ? literal + " is" : "%s is %s,".formatted(host, literal));
    }
  }

  /** Collects an answer up to the call's limit; ends the exchange when it is exceeded. */
  private static final class BoundedAnswer implements Response.Listener {
    private final HttpCall call;
    private final CompletableFuture<HttpAnswer> complete = new CompletableFuture<>();
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();

    BoundedAnswer(HttpCall call) {
      this.call = call;
    }

    @Override
    public void onContent(Response response, ByteBuffer part) {
      if ((long) received.size() + part.remaining() > call.maxAnswer()) {
        abort(response.getRequest(), new AnswerTooLargeException(call.uri(), call.maxAnswer()));
        return;
      }
      byte[] bytes = new byte[part.remaining()];
      part.get(bytes);
      received.writeBytes(bytes);
    }

    @Override
    public void onComplete(Result result) {
      if (result.isFailed()) {
        complete.completeExceptionally(result.getFailure());
      } else {
        complete.complete(
            new HttpAnswer(result.getResponse().getStatus(), Map.of(), received.toByteArray()));
      }
    }
  }
}
