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
import io.millrace.platform.identity.CallSigner.CallClaims;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Signs the calls of this server to others. Each call carries a token for its receiver, method,
 * path and query, with a nonce of the receiver; nonces are requested beforehand and used for half a
 * minute. Thread-safe.
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
  // A refusal that comes while a large body is being sent is often lost with the connection, and
  // the call's outcome then counts as unknown. So the server must have accepted the nonce, or
  // issued
  // it, this short a time before: no server is restarted faster.
  private static final Duration KNOWN_GOOD = Duration.ofSeconds(1);
  private static final int LARGE_BODY = 32 << 10;
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

  /**
   * Whether a refusal is about the calling server and not about what it asked for, in the name of a
   * caller whose rights it has checked by the same roles: another server answers at the receiver's
   * address, or the receiver does not accept this one.
   */
  public static boolean refusesServer(MillraceException refusal) {
    return refusal.code() == ErrorCode.UNAUTHENTICATED || refusal.code() == ErrorCode.FORBIDDEN;
  }

  /** The answer of the route that issues nonces. */
  record NonceAnswer(String nonce) {}

  /**
   * A nonce of a server. Times are monotonic nanoseconds.
   *
   * @param requestedAt before it was issued
   * @param knownGoodAt the last time at which it was certainly accepted
   * @param renewing whether a caller requests its successor
   */
  private record Nonce(
      String text, long requestedAt, AtomicLong knownGoodAt, AtomicBoolean renewing) {}

  private record TokenKey(CallClaims call, Principal caller) {}

  /**
   * A transport whose calls are all meant for one node.
   *
   * @param role of the receiver
   * @param name of the receiver
   * @param caller in whose name: the node itself, or for a central manager the user
   */
  public HttpTransport to(Role role, String name, Principal caller) {
    return new SignedTransport(NodeIdentity.audience(role, name), caller);
  }

  /** A transport whose calls are all meant for central managers, whichever of them. */
  HttpTransport toCentralManagers(Principal caller) {
    return new SignedTransport(NodeIdentity.CENTRAL, caller);
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
      long begun = clock.nanoTime();
      HttpAnswer answer;
      try {
        answer = transport.send(signed(call, nonce));
      } catch (IOException e) {
        drop(call, nonce);
        throw e;
      }
      if (answer.status() == ErrorCode.UNAUTHENTICATED.status()) {
        // A receiver that was restarted accepts none of its former nonces; it has done nothing yet.
        return transport.send(signed(call, newNonce(call)));
      }
      nonce.knownGoodAt().set(begun);
      return answer;
    }

    @Override
    public InputStream stream(HttpCall call) throws IOException {
      Nonce nonce = nonce(call);
      try {
        return transport.stream(signed(call, nonce));
      } catch (IOException e) {
        drop(call, nonce);
        throw e;
      } catch (MillraceException e) {
        if (e.code() != ErrorCode.UNAUTHENTICATED) {
          throw e;
        }
        return transport.stream(signed(call, newNonce(call)));
      }
    }

    private HttpCall signed(HttpCall call, Nonce nonce) {
      // What the receiver's server passes on as the path of the request.
      String path = CallSigner.path(call.uri());
      CallClaims signed = new CallClaims(audience, call.method(), path, nonce.text());
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
    if (known.isEmpty() || age(known.get()) >= NONCE_USED.toNanos()) {
      return newNonce(call);
    }
    Nonce nonce = known.get();
    if (call.body().length > LARGE_BODY
        && clock.nanoTime() - nonce.knownGoodAt().get() > KNOWN_GOOD.toNanos()) {
      return newNonce(call);
    }
    boolean renews =
        age(nonce) >= NONCE_RENEWED.toNanos() && nonce.renewing().compareAndSet(false, true);
    return renews ? renewed(nonce, call) : nonce;
  }

  /** A nonce whose renewal fails is used as long as it is accepted; a later call tries again. */
  private Nonce renewed(Nonce nonce, HttpCall call) throws IOException {
    try {
      return newNonce(call);
    } catch (IOException e) {
      nonce.renewing().set(false);
      if (age(nonce) >= NONCE_USED.toNanos()) {
        throw e;
      }
      return nonce;
    }
  }

  private long age(Nonce nonce) {
    return clock.nanoTime() - nonce.requestedAt();
  }

  /**
   * Whoever answers there next may be another process: the refusal of an old nonce can be lost with
   * the connection on which it came, and would then be taken for an unknown outcome.
   */
  private void drop(HttpCall call, Nonce nonce) {
    nonces.remove(call.uri().getAuthority(), nonce);
  }

  private Nonce newNonce(HttpCall call) throws IOException {
    URI uri = call.uri().resolve(NONCE_PATH);
    Duration limit = call.timeout().compareTo(NONCE_WITHIN) < 0 ? call.timeout() : NONCE_WITHIN;
    long now = clock.nanoTime();
    String text = request(HttpCall.get(uri).within(limit));
    Nonce nonce = new Nonce(text, now, new AtomicLong(now), new AtomicBoolean());
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
