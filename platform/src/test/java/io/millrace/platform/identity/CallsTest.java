package io.millrace.platform.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.auth0.jwt.JWT;
import com.auth0.jwt.algorithms.Algorithm;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.identity.CallSigner.CallClaims;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls between servers: whatever is not exactly the signed call is refused. */
class CallsTest {
  private static final String GET = "GET";
  private static final String PATH = "/v1/queues/alert/peek";
  private static final NodeIdentity Q1 = new NodeIdentity(Role.QUEUE_NODE, "q1", UUID.randomUUID());
  private static final NodeIdentity Q2 = new NodeIdentity(Role.QUEUE_NODE, "q2", UUID.randomUUID());
  private static final Principal ANN = Principal.of(Role.VIEWER, "ann");

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
  private final KeyPair cluster = KeyFiles.newPair();
  private final TokenIssuer issuer = new TokenIssuer((ECPrivateKey) cluster.getPrivate(), clock);
  private CallVerifier q1;
  private CallVerifier q2;
  private CallSigner central;

  @BeforeEach
  void open() {
    q1 = verifier(Q1);
    q2 = verifier(Q2);
    central = CallSigner.ofCentralManager((ECPrivateKey) cluster.getPrivate());
  }

  private CallVerifier verifier(NodeIdentity node) {
    return new TokenVerifier((ECPublicKey) cluster.getPublic(), clock, node.audience()).calls();
  }

  private CallClaims call(String nonce) {
    return new CallClaims(Q1.audience(), GET, PATH, nonce);
  }

  @Test
  void aNodeIsKnownByItsSignature() {
    String token = CallSigner.of(issuer.credential(Q2)).sign(call(q1.nonce()), Principal.of(Q2));
    assertThat(q1.verify(token, GET, PATH)).contains(Principal.of(Q2));
    assertThat(q1.verify(token, GET, PATH)).as("from the cache").contains(Principal.of(Q2));
  }

  @Test
  void aCentralManagerCallsWithTheRightsOfItsCallerAndNoMore() {
    String token = central.sign(call(q1.nonce()), ANN);
    assertThat(q1.verify(token, GET, PATH)).contains(ANN);
  }

  @Test
  void aTokenIsWorthNothingAtAnotherServerForAnotherMethodOrPath() {
    String token = central.sign(call(q1.nonce()), ANN);
    assertThat(q1.verify(token, GET, PATH)).isPresent();
    assertThat(q1.verify(token, "POST", PATH)).isEmpty();
    assertThat(q1.verify(token, GET, "/v1/queues/alert/dead")).isEmpty();
    assertThat(q2.verify(token, GET, PATH)).isEmpty();
  }

  @Test
  void aNonceOfAnotherServerIsRefusedSoThatARelayGetsNothing() {
    // q2 passes off q1's nonce as its own; the caller signs for q2.
    String forQ2 = central.sign(new CallClaims(Q2.audience(), GET, PATH, q1.nonce()), ANN);
    assertThat(q1.verify(forQ2, GET, PATH)).isEmpty();
    assertThat(q2.verify(forQ2, GET, PATH)).isEmpty();
  }

  @Test
  void aTokenExpiresAMinuteAfterItsNonceWasIssuedWhateverWallClocksSay() {
    String token = central.sign(call(q1.nonce()), ANN);
    clock.stepWall(Duration.ofDays(400));
    assertThat(q1.verify(token, GET, PATH)).isPresent();
    clock.stepWall(Duration.ofDays(-800));
    assertThat(q1.verify(token, GET, PATH)).isPresent();
    clock.advance(CallNonces.VALIDITY);
    assertThat(q1.verify(token, GET, PATH)).isPresent();
    clock.advance(Duration.ofMillis(1));
    assertThat(q1.verify(token, GET, PATH)).isEmpty();
    String late = central.sign(call(q2.nonce()), ANN);
    assertThat(q1.verify(late, GET, PATH)).isEmpty();
  }

  @Test
  void aRestartedServerAcceptsNoEarlierNonce() {
    String token = central.sign(call(q1.nonce()), ANN);
    assertThat(verifier(Q1).verify(token, GET, PATH)).isEmpty();
  }

  @Test
  void inventedAndChangedNoncesAreRefused() {
    String good = q1.nonce();
    char last = good.charAt(good.length() - 1) == 'A' ? 'B' : 'A';
    for (String nonce :
        new String[] {"", "n", "AAAA", good + "AA", good.substring(1), last + good.substring(1)}) {
      assertThat(q1.verify(central.sign(call(nonce), ANN), GET, PATH)).as(nonce).isEmpty();
    }
  }

  @Test
  void aNodeCannotSpeakInTheNameOfAnotherNorWithAnotherRole() {
    CallSigner signer = CallSigner.of(issuer.credential(Q2));
    for (Principal other :
        new Principal[] {
          Principal.of(Q1),
          Principal.of(Role.ADMIN, "q2"),
          Principal.of(Role.MANAGER, "q2"),
          Principal.of(Role.EXECUTION_NODE, "q2"),
          ANN
        }) {
      String token = signer.sign(call(q1.nonce()), other);
      assertThat(q1.verify(token, GET, PATH)).as("%s", other).isEmpty();
    }
  }

  @Test
  void aCertificateIsUselessWithoutItsKey() {
    KeyPair thief = KeyFiles.newPair();
    NodeCredential stolen =
        new NodeCredential(
            Q2, issuer.credential(Q2).certificate(), (ECPrivateKey) thief.getPrivate());
    String token = CallSigner.of(stolen).sign(call(q1.nonce()), Principal.of(Q2));
    assertThat(q1.verify(token, GET, PATH)).isEmpty();
  }

  @Test
  void aCertificateOfAnotherClusterIsRefused() {
    TokenIssuer other = new TokenIssuer((ECPrivateKey) KeyFiles.newPair().getPrivate(), clock);
    String token = CallSigner.of(other.credential(Q2)).sign(call(q1.nonce()), Principal.of(Q2));
    assertThat(q1.verify(token, GET, PATH)).isEmpty();
  }

  @Test
  void theClustersKeyCannotSignForANodeOrAWorker() {
    for (Role role : Role.values()) {
      String token = central.sign(call(q1.nonce()), Principal.of(role, "x"));
      boolean possible = !role.isNode() && !role.isAttempt();
      assertThat(q1.verify(token, GET, PATH).isPresent()).as("%s", role).isEqualTo(possible);
    }
  }

  @Test
  void bearerTokensCertificatesAndCallsAreNotTakenForEachOther() {
    TokenVerifier bearers =
        new TokenVerifier((ECPublicKey) cluster.getPublic(), clock, Q1.audience());
    String call = central.sign(call(q1.nonce()), Principal.of(Role.ADMIN, "x"));
    String bearer = issuer.issue(Principal.of(Role.ADMIN, "x"), Optional.empty());
    String certificate = issuer.credential(Q2).certificate();
    assertThat(bearers.verify(call)).isEmpty();
    assertThat(bearers.verify(certificate)).isEmpty();
    assertThat(q1.verify(bearer, GET, PATH)).isEmpty();
    assertThat(q1.verify(certificate, GET, PATH)).isEmpty();
    // A token of a node's role, as earlier versions issued them.
    for (String role : new String[] {"node", "queue-node"}) {
      String old =
          JWT.create()
              .withSubject("q1")
              .withClaim("role", role)
              .sign(Algorithm.ECDSA256(null, (ECPrivateKey) cluster.getPrivate()));
      assertThat(bearers.verify(old)).isEmpty();
    }
  }

  @Test
  void rubbishIsRefused() {
    for (String text : new String[] {"", ".", "..", "a.b.c", "x".repeat(100_000)}) {
      assertThat(q1.verify(text, GET, PATH)).isEmpty();
    }
  }

  @Test
  void anIdentityIsReadBackAndOneOfAnotherClusterIsRefused() throws Exception {
    Path file = folder.resolve("node.identity");
    issuer.credential(Q1).write(file);
    NodeCredential read = NodeCredential.read(file, (ECPublicKey) cluster.getPublic());
    assertThat(read.identity()).isEqualTo(Q1);
    assertThat(read.toString()).doesNotContain("key");
    String token = CallSigner.of(read).sign(call(q1.nonce()), Principal.of(Q1));
    assertThat(q1.verify(token, GET, PATH)).contains(Principal.of(Q1));

    ECPublicKey other = (ECPublicKey) KeyFiles.newPair().getPublic();
    refused(() -> NodeCredential.read(file, other), "not issued by this cluster");
    Files.writeString(file, "{}");
    refused(() -> NodeCredential.read(file, other), "is not an identity file");
    Files.delete(file);
    refused(() -> NodeCredential.read(file, other), "millrace join");
  }

  @Test
  void anIdentityFileThatOthersCanReadIsRefusedWithTheCommandThatClosesIt() throws IOException {
    Path file = folder.resolve("new/node.identity");
    issuer.credential(Q1).write(file);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
        .isEqualTo("rwx------");
    for (String open : List.of("rw-r-----", "rw----r--", "rw--w----")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(open));
      refused(
          () -> NodeCredential.read(file, (ECPublicKey) cluster.getPublic()),
          "run 'chmod 600 " + file + "'");
    }
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
    NodeCredential.read(file, (ECPublicKey) cluster.getPublic());
  }

  @Test
  void theSecretOfAnAttemptIsThatOfNoOtherAndTheSameAtEveryCentralManager() {
    AttemptSecrets one = new AttemptSecrets((ECPrivateKey) cluster.getPrivate());
    AttemptSecrets two = new AttemptSecrets((ECPrivateKey) cluster.getPrivate());
    AttemptId attempt = new AttemptId(17, 1);
    two.require(attempt, one.of(attempt));
    wrong(two, new AttemptId(17, 2), one.of(attempt));
    wrong(two, new AttemptId(18, 1), one.of(attempt));
    wrong(two, attempt, null);
    wrong(two, attempt, "");
    AttemptSecrets foreign = new AttemptSecrets((ECPrivateKey) KeyFiles.newPair().getPrivate());
    wrong(foreign, attempt, one.of(attempt));
  }

  private static void wrong(AttemptSecrets secrets, AttemptId attempt, String secret) {
    assertThatThrownBy(() -> secrets.require(attempt, secret))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
  }

  private static void refused(Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFIGURATION))
        .hasMessageContaining(message);
  }
}
