package io.millrace.manager.login;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.manager.queue.QueueWorld;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoginCodesTest {
  @TempDir Path folder;
  private QueueWorld world;
  private LoginCodes codes;

  @BeforeEach
  void open() {
    world = new QueueWorld(folder);
    codes = new LoginCodes(world.database);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aCodeOpensASessionOfItsUserOnce() {
    String code = codes.create(Principal.of(Role.OPERATOR, "ann"));

    assertThat(codes.redeem(code)).contains(Principal.of(Role.OPERATOR, "ann"));
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
    assertThatThrownBy(() -> codes.create(Principal.of(Role.QUEUE_NODE, "q1")))
        .hasMessageContaining("the role queue-node cannot open the dashboard");
  }
}
