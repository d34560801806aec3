package io.millrace.manager.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.JoinToken;
import io.millrace.api.node.JoinToken.JoinAnswer;
import io.millrace.api.node.JoinToken.JoinTokenRequest;
import io.millrace.manager.job.JobBench;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.identity.TokenVerifier;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JoinServiceTest {
  private static final List<URI> CENTRAL = List.of(URI.create("http://c1:7700"));

  @TempDir private Path folder;
  private final JobBench bench = new JobBench(Heartbeat.defaults());
  private JoinService service;
  private TokenVerifier verifier;

  @BeforeEach
  void open() {
    KeyFiles.ensure(folder);
    Path key = folder.resolve(KeyFiles.PUBLIC);
    TokenIssuer issuer = new TokenIssuer(KeyFiles.privateKey(folder), new SystemClock());
    service = new JoinService(bench.database, issuer, KeyFiles.publicText(key));
    verifier = new TokenVerifier(KeyFiles.publicKey(key), new SystemClock());
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void eachMachineGetsATokenThatIsBoundToItsName() {
    JoinAnswer answer = service.join(created("execution-node").token(), "e7", CENTRAL);
    assertThat(answer.role()).isEqualTo("execution-node");
    assertThat(answer.central()).isEqualTo(CENTRAL);
    assertThat(answer.publicKey()).startsWith("-----BEGIN PUBLIC KEY-----");
    assertThat(verifier.verify(answer.token())).contains(Principal.of(Role.NODE, "e7"));
  }

  @Test
  void aTokenIsValidOnceAndTheSecondUseIsRefusedWithTheFirstUser() {
    String token = created("queue-node").token();
    service.join(token, "q7", CENTRAL);
    refused(() -> service.join(token, "q8", CENTRAL), ErrorCode.CONFLICT, "used by q7");
  }

  @Test
  void anUnknownOrExpiredTokenIsRefused() {
    refused(
        () -> service.join("mrj_x", "e7", CENTRAL),
        ErrorCode.UNAUTHENTICATED,
        "the join token is unknown");
    String token = created("execution-node").token();
    bench.database.transaction(
        handle ->
            handle.execute("update join_token set expires_at = timestamp '2020-01-01 00:00:00'"));
    refused(() -> service.join(token, "e7", CENTRAL), ErrorCode.UNAUTHENTICATED, "expired");
  }

  @Test
  void aRefusedNameLeavesTheTokenValid() {
    String token = created("execution-node").token();
    refused(() -> service.join(token, "node", CENTRAL), ErrorCode.INVALID_REQUEST, "name");
    refused(() -> service.join(token, "no/name", CENTRAL), ErrorCode.INVALID_REQUEST, "name");
    assertThat(service.join(token, "e7", CENTRAL).name()).isEqualTo("e7");
  }

  @Test
  void onlyMachineRolesCanJoinAndOnlyForALimitedTime() {
    refused(() -> created("admin"), ErrorCode.INVALID_REQUEST, "execution-node");
    refused(
        () -> service.create(new JoinTokenRequest("queue-node", Duration.ofDays(30)), "ann"),
        ErrorCode.INVALID_REQUEST,
        "validFor");
  }

  @Test
  void theTokenItselfIsNotStored() {
    String token = created("execution-node").token();
    List<String> kept =
        bench.database.read(
            handle -> handle.createQuery("select hash from join_token").mapTo(String.class).list());
    assertThat(kept).singleElement().satisfies(hash -> assertThat(token).doesNotContain(hash));
  }

  private JoinToken created(String role) {
    return service.create(new JoinTokenRequest(role, null), "ann");
  }

  private static void refused(ThrowingCallable call, ErrorCode code, String words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(words);
  }
}
