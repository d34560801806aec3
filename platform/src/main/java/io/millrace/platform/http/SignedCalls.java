package io.millrace.platform.http;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.identity.BoundedCache;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.CallSigner.Call;
import io.millrace.platform.identity.Principal;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Signs the calls of this server to others. Each call carries a token for its receiver, method and
 * path, with a nonce of the receiver; nonces are requested beforehand and used for half a minute.
 * Thread-safe.
 */
public final class SignedCalls {
  /** The scheme of the Authorization header. */
  static final String SCHEME = "Millrace";

  /** The route that issues nonces. */
  static final String NONCE_PATH = "/v1/nonce";

  // One caller renews a nonce at half of its validity; others use it a little longer, so that a
  // call made with it still arrives in time.
  private static final Duration NONCE_RENEWED = Duration.ofSeconds(30);
  private static final Duration NONCE_USED = Duration.ofSeconds(45);
  private static final Duration NONCE_WITHIN = Duration.ofSeconds(10);
  private static final int MAX_SERVERS = 10_000;
  private static final int MAX_TOKENS = 4_000;

  private final HttpTransport transport;
  private final CallSigner signer;
  private final Clock clock;
  private final BoundedCache<String, Nonce> nonces = new BoundedCache<>(MAX_SERVERS);
  private final BoundedCache<TokenKey, String> tokens = new BoundedCache<>(MAX_TOKENS);

  /** Signs with the given signer and sends with the transport. */
  public SignedCalls(HttpTransport transport, CallSigner signer, Clock clock) {
    this.transport = transport;
    this.signer = signer;
    this.clock = clock;
  }

  /** The answer of the route that issues nonces. */
  record NonceAnswer(String nonce) {}

  /** A nonce of a server, and when it was requested in monotonic nanoseconds. */
  private record Nonce(String text, long requestedAt, AtomicBoolean renewing) {}

  private record TokenKey(Call call, Principal caller) {}

  /**
   * A transport whose calls are all meant for one audience.
   *
   * @param audience the receiver, for instance {@code queue-node/q1}
   * @param caller in whose name: the node itself, or for a central manager the user
   */
  public HttpTransport to(String audience, Principal caller) {
    return new SignedTransport(audience, caller);
  }

  private final class SignedTransport implements HttpTransport {
    private final String audience;
    private final Principal caller;

    SignedTransport(String audience, Principal caller) {
      this.audience = audience;
      this.caller = caller;
    }

    @Override
    public HttpAnswer send(HttpCall call) throws IOException {
      Nonce nonce = nonce(call);
      HttpAnswer answer = transport.send(signed(call, nonce));
      // A receiver that was restarted accepts none of its former nonces; it has done nothing yet.
      return answer.status() == ErrorCode.UNAUTHENTICATED.status()
          ? transport.send(signed(call, newNonce(call)))
          : answer;
    }

    @Override
    public InputStream stream(HttpCall call) throws IOException {
      Nonce nonce = nonce(call);
      try {
        return transport.stream(signed(call, nonce));
      } catch (MillraceException e) {
        if (e.code() != ErrorCode.UNAUTHENTICATED) {
          throw e;
        }
        return transport.stream(signed(call, newNonce(call)));
      }
    }

    private HttpCall signed(HttpCall call, Nonce nonce) {
      // What the receiver's server passes on as the path of the request.
      String path = call.uri().getRawPath();
      Call signed = new Call(audience, call.method(), path, nonce.text());
      TokenKey key = new TokenKey(signed, caller);
      String token =
          tokens
              .get(key)
              .orElseGet(
                  () -> {
                    String made = signer.sign(signed, caller);
                    tokens.put(key, made);
                    return made;
                  });
      return call.with("Authorization", SCHEME + " " + token);
    }
  }

  private Nonce nonce(HttpCall call) throws IOException {
    Optional<Nonce> known = nonces.get(call.uri().getAuthority());
    return known.isPresent() && isUsable(known.get()) ? known.get() : newNonce(call);
  }

  private boolean isUsable(Nonce nonce) {
    long age = clock.nanoTime() - nonce.requestedAt();
    return age < NONCE_RENEWED.toNanos()
        || (age < NONCE_USED.toNanos() && !nonce.renewing().compareAndSet(false, true));
  }

  private Nonce newNonce(HttpCall call) throws IOException {
    URI uri = call.uri().resolve(NONCE_PATH);
    Duration limit = call.timeout().compareTo(NONCE_WITHIN) < 0 ? call.timeout() : NONCE_WITHIN;
    long now = clock.nanoTime();
    String text = request(HttpCall.get(uri).within(limit));
    Nonce nonce = new Nonce(text, now, new AtomicBoolean());
    nonces.put(uri.getAuthority(), nonce);
    return nonce;
  }

  /** Whatever goes wrong here, nothing of the call itself was sent. */
  private String request(HttpCall request) throws IOException {
    String server = request.uri().getAuthority();
    try {
      String nonce = Json.read(transport.send(request).orThrow().body(), NonceAnswer.class).nonce();
      if (nonce != null) {
        return nonce;
      }
    } catch (HttpTransport.NothingSentException e) {
      throw e;
    } catch (IOException e) {
      throw new HttpTransport.NothingSentException(server + " does not answer: " + e, e);
    } catch (MillraceException e) {
      throw new HttpTransport.NothingSentException(
          server + " issues no nonce: " + e.getMessage(), e);
    }
    throw new HttpTransport.NothingSentException(server + " issues no nonce", null);
  }
}
