package io.millrace.manager.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.manager.app.CentralManager;
import io.millrace.manager.app.CentralSettings;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that guesses tokens, login codes and join tokens. */
class GuessedLoginsTest {
  private static final int LIMIT = 30;

  @TempDir private Path folder;
  private final JdkTransport transport = new JdkTransport();
  private CentralManager manager;

  @BeforeEach
  void start() {
    manager =
        new CentralManager(
            CentralSettings.defaults().at(folder, WebSettings.loopback(0)), new SystemClock());
    manager.start();
  }

  @AfterEach
  void stop() {
    manager.stop();
  }

  @Test
  void guessesAreCountedTogetherAndRefusedBeyondTheLimit() throws Exception {
    String key = Base64.getEncoder().encodeToString(KeyFiles.newPair().getPublic().getEncoded());
    HttpCall token = post("/v1/login", Map.of("token", "guess"));
    HttpCall code = HttpCall.post(manager.address().resolve("/login/guess"), null);
    HttpCall join =
        post("/v1/join", Map.of("name", "n1", "key", key)).with("Authorization", "Bearer mrj_x");
    for (int i = 0; i < LIMIT / 3; i++) {
      assertThat(transport.send(token).status()).isEqualTo(401);
      assertThat(transport.send(join).status()).isEqualTo(401);
      HttpAnswer answer = transport.send(code);
      assertThat(answer.status()).isEqualTo(303);
      assertThat(answer.headers()).containsEntry("location", "/login?link=invalid");
    }
    for (HttpCall next : List.of(token, code, join)) {
      HttpAnswer answer = transport.send(next);
      assertThat(answer.status()).as("%s", next.uri()).isEqualTo(429);
      assertThat(answer.headers()).doesNotContainKey("set-cookie");
    }
    // Others may share the address.
    String right = TokenFiles.read(TokenFiles.of(manager.tokens(), Role.VIEWER));
    assertThat(transport.send(post("/v1/login", Map.of("token", right))).status()).isEqualTo(200);
  }

  private HttpCall post(String path, Object body) throws IOException {
    return HttpCall.post(manager.address().resolve(path), body);
  }
}
