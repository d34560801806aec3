package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenVerifier;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Calls of one server to another, with the nonces that the other issues. */
class SignedCallsTest {
  private static final URI PEEK = URI.create("http://q1:1/v1/queues/alert/peek?limit=5");
  private static final Principal ANN = Principal.of(Role.VIEWER, "ann");

  private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
  private final KeyPair keys = KeyFiles.newPair();
  private final QueueNode q1 = new QueueNode();
  private final HttpTransport toQ1 =
      new SignedCalls(q1, CallSigner.ofCentralManager((ECPrivateKey) keys.getPrivate()), clock)
          .to(Role.QUEUE_NODE, "q1", ANN);

  /** Answers signed calls with the caller's name, as the server of a queue node does. */
  private final class QueueNode implements HttpTransport {
    private final List<String> requests = new ArrayList<>();
    private TokenVerifier verifier = restarted();
    private boolean away;
    private boolean refusalsLost;
    private int noncesRefused;

    private TokenVerifier restarted() {
      return new TokenVerifier((ECPublicKey) keys.getPublic(), clock, "queue-node/q1");
    }

    @Override
    public HttpAnswer send(HttpCall call) throws IOException {
      requests.add(call.uri().getPath());
      if (away) {
        throw new IOException("no answer");
      }
      if (call.uri().getPath().equals("/v1/nonce")) {
        if (noncesRefused-- > 0) {
          return new HttpAnswer(503, Map.of(), new byte[0]);
        }
        String nonce = verifier.calls().nonce();
        return new HttpAnswer(200, Map.of(), Json.writeBytes(Map.of("nonce", nonce)));
      }
      Optional<Principal> caller = caller(call);
      if (caller.isEmpty() && refusalsLost) {
        throw new IOException("connection reset");
      }
      return caller.isPresent()
          ? new HttpAnswer(200, Map.of(), caller.get().subject().getBytes(StandardCharsets.UTF_8))
          : new HttpAnswer(401, Map.of(), new byte[0]);
    }

    @Override
    public InputStream stream(HttpCall call) throws IOException {
      HttpAnswer answer = send(call);
      if (answer.status() == 401) {
        throw new MillraceException(ErrorCode.UNAUTHENTICATED, "refused");
      }
      return new ByteArrayInputStream(answer.body());
    }

    private Optional<Principal> caller(HttpCall call) {
      String token = call.headers().get("Authorization").substring("Millrace ".length());
      return verifier.calls().verify(token, call.method(), CallSigner.path(call.uri()));
    }
  }

  private String peek() throws IOException {
    return toQ1.send(HttpTransport.HttpCall.get(PEEK)).orThrow().text();
  }

  @Test
  void aNonceIsRequestedOnceForManyCalls() throws IOException {
    assertThat(peek()).isEqualTo("ann");
    assertThat(peek()).isEqualTo("ann");
    assertThat(q1.requests)
        .containsExactly("/v1/nonce", "/v1/queues/alert/peek", "/v1/queues/alert/peek");
  }

  @Test
  void aNonceIsRenewedBeforeItExpires() throws IOException {
    for (int i = 0; i < 10; i++) {
      assertThat(peek()).isEqualTo("ann");
      clock.advance(Duration.ofSeconds(20));
    }
    // Never refused, so never sent twice.
    assertThat(q1.requests.stream().filter("/v1/queues/alert/peek"::equals)).hasSize(10);
  }

  @Test
  void aServerThatWasRestartedIsAskedForANewNonceAndGetsTheCallAgain() throws IOException {
    peek();
    q1.verifier = q1.restarted();
    assertThat(peek()).isEqualTo("ann");
    q1.verifier = q1.restarted();
    try (InputStream stream = toQ1.stream(HttpTransport.HttpCall.get(PEEK))) {
      assertThat(stream.readAllBytes()).asString().isEqualTo("ann");
    }
  }

  @Test
  void aCallThatIsRefusedForAnotherReasonIsSentTwiceAtMost() throws IOException {
    HttpTransport toAnother =
        new SignedCalls(q1, CallSigner.ofCentralManager((ECPrivateKey) keys.getPrivate()), clock)
            .to(Role.QUEUE_NODE, "q2", ANN);
    assertThat(toAnother.send(HttpTransport.HttpCall.get(PEEK)).status()).isEqualTo(401);
    assertThat(q1.requests.stream().filter("/v1/queues/alert/peek"::equals)).hasSize(2);
  }

  @Test
  void withoutANonceNothingOfTheCallWasSent() {
    q1.noncesRefused = 1;
    assertThatThrownBy(this::peek)
        .isInstanceOf(HttpTransport.NothingSentException.class)
        .hasMessageContaining("q1:1");
    q1.away = true;
    assertThatThrownBy(this::peek).isInstanceOf(HttpTransport.NothingSentException.class);
    assertThat(q1.requests).containsOnly("/v1/nonce");
  }

  @Test
  void aNonceWhoseRenewalFailsIsUsedAsLongAsItIsAccepted() throws IOException {
    peek();
    clock.advance(Duration.ofSeconds(35));
    q1.noncesRefused = 2;
    assertThat(peek()).isEqualTo("ann");
    assertThat(peek()).isEqualTo("ann");
    assertThat(q1.noncesRefused).as("each call has tried").isZero();
    clock.advance(Duration.ofSeconds(30));
    assertThat(peek()).isEqualTo("ann");
    clock.advance(Duration.ofSeconds(50));
    q1.noncesRefused = 1;
    assertThatThrownBy(this::peek).isInstanceOf(HttpTransport.NothingSentException.class);
  }

  @Test
  void aLargeBodyIsNotSentWithANonceOfAServerThatMayHaveBeenRestarted() throws IOException {
    HttpTransport.HttpCall large =
        HttpTransport.HttpCall.post(PEEK, "text/plain", new byte[100_000]);
    toQ1.send(large);
    clock.advance(Duration.ofMillis(900));
    toQ1.send(large);
    clock.advance(Duration.ofMillis(900));
    toQ1.send(large);
    assertThat(q1.requests).as("known to be good").hasSize(4).startsWith("/v1/nonce");

    clock.advance(Duration.ofSeconds(3));
    q1.verifier = q1.restarted();
    q1.refusalsLost = true;
    assertThat(toQ1.send(large).ok()).isTrue();

    clock.advance(Duration.ofSeconds(3));
    q1.away = true;
    assertThatThrownBy(() -> toQ1.send(large))
        .isInstanceOf(HttpTransport.NothingSentException.class);
  }

  @Test
  void aRepetitionAfterABrokenConnectionUsesANewNonce() throws IOException {
    peek();
    q1.verifier = q1.restarted();
    q1.refusalsLost = true;
    assertThatThrownBy(this::peek).hasMessage("connection reset");
    assertThat(peek()).isEqualTo("ann");

    q1.verifier = q1.restarted();
    assertThatThrownBy(() -> toQ1.stream(HttpTransport.HttpCall.get(PEEK)))
        .hasMessage("connection reset");
    assertThat(peek()).isEqualTo("ann");
  }
}
