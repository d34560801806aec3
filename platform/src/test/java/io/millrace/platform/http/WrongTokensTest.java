package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.millrace.platform.identity.Role;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Callers who try credentials. */
@Timeout(120)
class WrongTokensTest {
  private static final int LIMIT = 1_000;

  @TempDir private Path folder;
  private final Logger logger = (Logger) LoggerFactory.getLogger(FailedLogins.class);
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private SlowClients clients;

  @BeforeEach
  void start() {
    clients = new SlowClients(folder, ServerBounds.usual(), 100, 100);
    logged.start();
    logger.addAppender(logged);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(logged);
    clients.close();
  }

  @ParameterizedTest
  @CsvSource({
    "Authorization, Bearer wrong, 429",
    "Cookie, millrace_session=wrong, 429",
    // A node learns only by this answer that its nonce has expired.
    "Authorization, Millrace wrong, 401"
  })
  void addressThatTriesManyIsLimitedAndReportedOnceAndRightTokensPass(
      String header, String value, int status) throws Exception {
    for (int i = 0; i < LIMIT; i++) {
      assertThat(tried(header, value)).isEqualTo(401);
    }
    assertThat(tried(header, value)).isEqualTo(status);
    assertThat(logged.list)
        .singleElement()
        .extracting(ILoggingEvent::getFormattedMessage)
        .asString()
        .contains("wrong tokens from 127.0.0.1");
    // Others may share the address.
    assertThat(
            clients.fixture().send(clients.fixture().get(Role.OPERATOR, "/v1/large")).statusCode())
        .isEqualTo(200);
  }

  @Test
  void fewMistakesAreNotReported() throws Exception {
    for (int i = 0; i < 10; i++) {
      tried("Authorization", "Bearer wrong");
    }
    assertThat(logged.list).isEmpty();
  }

  private int tried(String header, String value) throws Exception {
    return clients
        .fixture()
        .send(
            clients
                .fixture()
                .request("GET", "/v1/large", BodyPublishers.noBody())
                .header(header, value))
        .statusCode();
  }
}
