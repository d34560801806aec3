package io.millrace.platform.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class DatabaseServerTest {
  @Test
  void anEmbeddedDatabaseIsNotAServer() {
    assertThatThrownBy(() -> DatabaseServer.of(DatabaseSettings.memory("events")))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFIGURATION))
        .hasMessageContaining("jdbc:h2:mem:events is not a database server")
        .hasMessageContaining("jdbc:mysql://HOST:3306/NAME");
  }

  @Test
  void aServerIsNamedWithoutPasswordAndOptionsAndConnectedToOnDemand() {
    DatabaseServer server =
        DatabaseServer.of(
            DatabaseSettings.of(
                "jdbc:mysql://u:secret@127.0.0.1:1/events?sslMode=DISABLED", "u", ""));

    assertThat(server.place()).isEqualTo("jdbc:mysql://127.0.0.1:1/events");
    assertThatThrownBy(server::connect).isInstanceOf(SQLException.class);
  }
}
