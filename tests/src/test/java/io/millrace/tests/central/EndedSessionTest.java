package io.millrace.tests.central;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.manager.app.CentralManager;
import io.millrace.manager.app.CentralSettings;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.tests.server.SqlSchema;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Open streams of a session, at two central managers, when the session ends. */
@Timeout(120)
class EndedSessionTest {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  @TempDir private Path folder;
  private final HttpClient browser =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private CentralManager one;
  private CentralManager two;

  @BeforeEach
  void start() throws SQLException {
    SCHEMA.clear();
    KeyFiles.ensure(folder.resolve("tokens"));
    one = manager("c1");
    two = manager("c2");
    one.start();
    two.start();
  }

  @AfterEach
  void stop() {
    one.stop();
    two.stop();
  }

  @Test
  void aLogOutEndsTheStreamsOfTheSessionAtEveryCentralManager() throws Exception {
    String session = logIn(one);
    String other = logIn(one);
    try (InputStream here = stream(one, session);
        InputStream there = stream(two, session);
        InputStream others = stream(two, other)) {
      HttpResponse<String> loggedOut =
          browser.send(
              request(one, "/v1/logout")
                  .header("Cookie", session)
                  .POST(BodyPublishers.noBody())
                  .build(),
              BodyHandlers.ofString());
      assertThat(loggedOut.statusCode()).isEqualTo(204);

      here.transferTo(OutputStream.nullOutputStream());
      there.transferTo(OutputStream.nullOutputStream());

      assertThat(new String(others.readNBytes(6), StandardCharsets.UTF_8)).isEqualTo("event:");
      for (CentralManager manager : List.of(one, two)) {
        assertThat(open(manager, session).statusCode()).isEqualTo(401);
      }
    }
  }

  @Test
  void anExpiredSessionEndsItsStreams() throws Exception {
    String session = logIn(one);
    try (InputStream here = stream(one, session);
        InputStream there = stream(two, session)) {
      try (Connection database =
              DriverManager.getConnection(SCHEMA.url(), SCHEMA.user(), SCHEMA.password());
          Statement statement = database.createStatement()) {
        statement.execute("update login_session set expires_at = '2020-01-01 00:00:00'");
      }

      here.transferTo(OutputStream.nullOutputStream());
      there.transferTo(OutputStream.nullOutputStream());
    }
    assertThat(open(one, session).statusCode()).isEqualTo(401);
  }

  private CentralManager manager(String name) {
    return new CentralManager(
        CentralSettings.defaults()
            .withName(name)
            .withDataDirectory(folder.resolve(name))
            .withTokensDirectory(Optional.of(folder.resolve("tokens")))
            .withWeb(WebSettings.loopback(0))
            .withDatabase(SCHEMA.settings()),
        new SystemClock());
  }

  /** The session's cookie. */
  private String logIn(CentralManager manager) throws Exception {
    String token = TokenFiles.read(TokenFiles.of(manager.tokens(), Role.VIEWER));
    HttpResponse<String> answer =
        browser.send(
            request(manager, "/v1/login")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"token\":\"" + token + "\"}"))
                .build(),
            BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(200);
    return answer.headers().firstValue("Set-Cookie").orElseThrow().replaceAll(";.*", "");
  }

  private InputStream stream(CentralManager manager, String session) throws Exception {
    HttpResponse<InputStream> answer = open(manager, session);
    assertThat(answer.statusCode()).isEqualTo(200);
    return answer.body();
  }

  private HttpResponse<InputStream> open(CentralManager manager, String session) throws Exception {
    return browser.send(
        request(manager, "/v1/stream")
            .header("Cookie", session)
            .header("Accept", "text/event-stream")
            .build(),
        BodyHandlers.ofInputStream());
  }

  private static HttpRequest.Builder request(CentralManager manager, String path) {
    return HttpRequest.newBuilder(manager.address().resolve(path));
  }
}
