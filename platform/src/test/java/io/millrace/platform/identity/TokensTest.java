package io.millrace.platform.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.auth0.jwt.JWT;
import com.auth0.jwt.algorithms.Algorithm;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.lifecycle.Threads;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.interfaces.ECPrivateKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokensTest {

  private static final Principal VIEWER = Principal.of(Role.VIEWER, "vera");

  private final ManualClock clock = new ManualClock(new SystemClock().now());
  @TempDir Path parent;
  private Path folder;
  private TokenIssuer issuer;
  private TokenVerifier verifier;

  @BeforeEach
  void makeKeys() {
    folder = parent.resolve("tokens");
    KeyFiles.ensure(folder);
    issuer = new TokenIssuer(KeyFiles.privateKey(folder), clock);
    verifier = verifierOf(folder);
  }

  @Test
  void aTokenTellsRoleSubjectQueueAndAttempt() {
    Principal worker = Principal.worker("orders", new AttemptId(17, 3));

    assertThat(verifier.verify(issuer.issue(worker, Optional.empty()))).contains(worker);
    assertThat(verifier.verify(issuer.issue(VIEWER, Optional.empty()))).contains(VIEWER);
  }

  @Test
  void aWorkerMayTouchOnlyItsOwnQueue() {
    Principal worker = Principal.worker("orders", new AttemptId(17, 3));

    assertThat(worker.mayTouch("orders")).isTrue();
    assertThat(worker.mayTouch("invoices")).isFalse();
    assertThat(VIEWER.mayTouch("invoices")).isTrue();
    assertThat(Principal.taskWorker(3, new AttemptId(7, 1)).mayTouch("orders")).isFalse();
    assertThat(Principal.of(Role.WORKER, "of no queue").mayTouch("orders")).isFalse();
  }

  @Test
  void anExpiredTokenIsRefusedAlsoWhenItWasRemembered() {
    String token = issuer.issue(VIEWER, Optional.of(Duration.ofMinutes(5)));
    assertThat(verifier.verify(token)).isPresent();

    // It is accepted for at most as long again as it was valid.
    clock.advance(Duration.ofMinutes(10));

    assertThat(verifier.verify(token)).isEmpty();
  }

  @Test
  void anHourStepOfTheVerifiersClockRefusesNoToken() {
    String token = issuer.issue(VIEWER, Optional.of(Duration.ofHours(1)));

    clock.stepWall(Duration.ofHours(1));
    assertThat(verifier.verify(token)).isPresent();

    clock.stepWall(Duration.ofHours(-2));
    assertThat(verifier.verify(token)).isPresent();
  }

  @Test
  void aTokenOfDaysIsAcceptedForTwoHoursMore() {
    String token = issuer.issue(VIEWER, Optional.of(Duration.ofDays(2)));
    clock.advance(Duration.ofDays(2).plus(TokenVerifier.LEEWAY).minusSeconds(1));
    assertThat(verifier.verify(token)).isPresent();
    clock.advance(Duration.ofSeconds(1));
    assertThat(verifier.verify(token)).isEmpty();
  }

  @Test
  void onlyATokenThatIsNoLongerAcceptedSaysHowLongAgoItExpired() {
    String token = issuer.issue(VIEWER, Optional.of(Duration.ofHours(1)));
    clock.advance(Duration.ofHours(2).minusSeconds(1));
    assertThat(verifier.expired(token)).isEmpty();
    clock.advance(Duration.ofMinutes(1));
    assertThat(verifier.expired(token).orElseThrow()).isBetween(hours(1), hours(1).plusMinutes(2));
    assertThat(verifier.expired(token.substring(1))).isEmpty();
    assertThat(verifier.expired(issuer.issue(VIEWER, Optional.empty()))).isEmpty();
  }

  private static Duration hours(int hours) {
    return Duration.ofHours(hours);
  }

  @RepeatedTest(5)
  void centralManagersThatStartAtOnceOnOneEmptyFolderEndUpWithOneKeyPair() throws Exception {
    Path shared = parent.resolve("shared");
    CyclicBarrier together = new CyclicBarrier(4);
    List<CompletableFuture<ECPrivateKey>> starts = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      CompletableFuture<ECPrivateKey> start = new CompletableFuture<>();
      starts.add(start);
      Threads.daemon(
              "start-" + i,
              () -> {
                try {
                  together.await();
                  KeyFiles.ensure(shared);
                  ECPrivateKey key = KeyFiles.privateKey(shared);
                  TokenFiles.ensure(shared, new TokenIssuer(key, clock));
                  start.complete(key);
                } catch (Exception e) {
                  start.completeExceptionally(e);
                }
              })
          .start();
    }
    TokenVerifier everybody =
        new TokenVerifier(KeyFiles.publicKey(ready(starts, shared)), clock, "everybody");
    for (CompletableFuture<ECPrivateKey> start : starts) {
      String token = new TokenIssuer(start.get(), clock).issue(VIEWER, Optional.empty());
      assertThat(everybody.verify(token)).contains(VIEWER);
    }
    assertThat(everybody.verify(TokenFiles.read(TokenFiles.of(shared, Role.ADMIN)))).isPresent();
  }

  private static Path ready(List<CompletableFuture<ECPrivateKey>> starts, Path folder)
      throws Exception {
    for (CompletableFuture<ECPrivateKey> start : starts) {
      start.get(30, TimeUnit.SECONDS);
    }
    return folder.resolve(KeyFiles.PUBLIC);
  }

  @Test
  void aTokenThatAnotherClusterSignedIsRefused() {
    Path other = parent.resolve("other");
    KeyFiles.ensure(other);
    String foreign =
        new TokenIssuer(KeyFiles.privateKey(other), clock).issue(VIEWER, Optional.empty());

    assertThat(verifier.verify(foreign)).isEmpty();
  }

  @Test
  void anUnsignedOrOtherwiseSignedTokenIsRefused() throws IOException {
    String none = JWT.create().withClaim("role", "admin").sign(Algorithm.none());
    // The classic confusion: the public key, which everybody may read, used as a shared secret.
    byte[] publicKey = Files.readAllBytes(folder.resolve(KeyFiles.PUBLIC));
    String confused = JWT.create().withClaim("role", "admin").sign(Algorithm.HMAC256(publicKey));

    assertThat(verifier.verify(none)).isEmpty();
    assertThat(verifier.verify(confused)).isEmpty();
  }

  @Test
  void aTokenWhoseRoleWasRewrittenIsRefused() {
    String[] parts = issuer.issue(VIEWER, Optional.empty()).split("\\.", -1);
    String payload = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
    String forged =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(payload.replace("viewer", "admin").getBytes(StandardCharsets.UTF_8));

    assertThat(payload).contains("viewer");
    assertThat(verifier.verify(parts[0] + "." + forged + "." + parts[2])).isEmpty();
  }

  @Test
  void rubbishIsRefusedWithoutAFault() {
    assertThat(verifier.verify("")).isEmpty();
    assertThat(verifier.verify("a.b.c")).isEmpty();
    assertThat(verifier.verify("x".repeat(1_000_000))).isEmpty();
  }

  @Test
  void aTokenWithAnUnknownRoleOrABrokenAttemptIsRefused() {
    Algorithm ours = Algorithm.ECDSA256(null, KeyFiles.privateKey(folder));

    assertThat(verifier.verify(JWT.create().withClaim("role", "root").sign(ours))).isEmpty();
    assertThat(verifier.verify(JWT.create().sign(ours))).isEmpty();
    assertThat(
            verifier.verify(
                JWT.create().withClaim("role", "worker").withClaim("attempt", "x").sign(ours)))
        .isEmpty();
  }

  @Test
  void oldTokensOutliveManyNewerOnes() {
    TokenVerifier forgetful =
        new TokenVerifier(KeyFiles.publicKey(folder.resolve("cluster.pub")), clock, "nobody", 10);
    String first = issuer.issue(VIEWER, Optional.empty());
    for (int i = 0; i < 20; i++) {
      assertThat(forgetful.verify(issuer.issue(VIEWER, Optional.empty()))).isPresent();
    }

    assertThat(forgetful.verify(first)).contains(VIEWER);
  }

  @Test
  void theKeyPairIsMadeOnceAndThePrivateKeyIsForItsOwnerOnly() throws IOException {
    String before = Files.readString(folder.resolve(KeyFiles.PRIVATE));

    KeyFiles.ensure(folder);

    assertThat(Files.readString(folder.resolve(KeyFiles.PRIVATE))).isEqualTo(before);
    assertThat(permissions(folder.resolve(KeyFiles.PRIVATE))).isEqualTo("rw-------");
    assertThat(permissions(folder)).isEqualTo("rwx------");
  }

  @Test
  void everyRoleThatStartsWithATokenGetsAFileForItsOwnerOnly() throws IOException {
    TokenFiles.ensure(folder, issuer);

    for (Role role : new Role[] {Role.ADMIN, Role.OPERATOR, Role.PRODUCER, Role.VIEWER}) {
      Path file = TokenFiles.of(folder, role);
      assertThat(permissions(file)).isEqualTo("rw-------");
      assertThat(verifier.verify(TokenFiles.read(file))).map(Principal::role).contains(role);
    }
    for (Role role : new Role[] {Role.WORKER, Role.QUEUE_NODE, Role.MANAGER}) {
      assertThat(TokenFiles.of(folder, role)).doesNotExist();
    }
  }

  /** Files of this role existed once; a central manager signs each call instead. */
  @Test
  void aTokenOfACentralManagerIsNotAccepted() {
    String former = issuer.issue(Principal.of(Role.MANAGER, "manager"), Optional.empty());

    assertThat(verifier.verify(former)).isEmpty();
  }

  @Test
  void tokenFilesThatAreThereStay() throws IOException {
    TokenFiles.ensure(folder, issuer);
    String before = TokenFiles.read(TokenFiles.of(folder, Role.ADMIN));

    TokenFiles.ensure(folder, issuer);

    assertThat(TokenFiles.read(TokenFiles.of(folder, Role.ADMIN))).isEqualTo(before);
  }

  @Test
  void missingAndBrokenFilesAreNamed() throws IOException {
    Path missing = parent.resolve("none.pub");
    Path broken = Files.writeString(parent.resolve("broken.pub"), "not a key");

    for (Path file : new Path[] {missing, broken}) {
      assertThatThrownBy(() -> KeyFiles.publicKey(file))
          .isInstanceOfSatisfying(
              MillraceException.class,
              failure -> assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION))
          .hasMessageContaining(file.toString());
    }
    assertThatThrownBy(() -> TokenFiles.read(parent.resolve("none.token")))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("none.token");
  }

  private TokenVerifier verifierOf(Path keys) {
    return new TokenVerifier(KeyFiles.publicKey(keys.resolve(KeyFiles.PUBLIC)), clock, "nobody");
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }
}
