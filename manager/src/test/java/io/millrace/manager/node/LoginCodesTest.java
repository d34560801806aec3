package io.millrace.manager.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.manager.queue.QueueWorld;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.identity.TokenVerifier;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoginCodesTest {
  @TempDir Path folder;
  private QueueWorld world;
  private LoginCodes codes;
  private TokenVerifier verifier;

  @BeforeEach
  void open() throws Exception {
    world = new QueueWorld(folder);
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    KeyPair keys = generator.generateKeyPair();
    SystemClock clock = new SystemClock();
    codes =
        new LoginCodes(world.database, new TokenIssuer((ECPrivateKey) keys.getPrivate(), clock));
    verifier = new TokenVerifier((ECPublicKey) keys.getPublic(), clock);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aCodeOpensASessionOfItsUserOnce() {
    String code = codes.create(Principal.of(Role.OPERATOR, "ann"));

    assertThat(codes.redeem(code).flatMap(verifier::verify))
        .contains(Principal.of(Role.OPERATOR, "ann"));
    assertThat(codes.redeem(code)).isEmpty();
  }

  @Test
  void anUnknownOrExpiredCodeOpensNothing() {
    String code = codes.create(Principal.of(Role.ADMIN, "ann"));
    world.database.transaction(
        handle -> handle.execute("update login_code set expires_at = '2020-01-01 00:00:00'"));

    assertThat(codes.redeem(code)).isEmpty();
    assertThat(codes.redeem("anything")).isEmpty();
  }

  @Test
  void theCodeItselfIsNotStored() {
    String code = codes.create(Principal.of(Role.ADMIN, "ann"));

    String stored =
        world.database.read(
            handle ->
                handle.createQuery("select code_hash from login_code").mapTo(String.class).one());
    assertThat(stored).isNotEqualTo(code).hasSize(64);
  }

  @Test
  void nodesAndWorkersGetNoSession() {
    assertThatThrownBy(() -> codes.create(Principal.of(Role.NODE, "q1")))
        .hasMessageContaining("the role node cannot open the dashboard");
  }
}
