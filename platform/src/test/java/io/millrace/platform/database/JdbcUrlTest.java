package io.millrace.platform.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcUrlTest {

  @Test
  void anH2FileKeepsItsCommitsAndSurvivesInterruptedThreads() {
    JdbcUrl url = JdbcUrl.of(DatabaseSettings.file(Path.of("/data/m1"), "central"));

    assertThat(url.dialect()).isEqualTo(Dialect.H2);
    assertThat(url.text())
        .startsWith("jdbc:h2:async:/data/m1/central;")
        .contains(";WRITE_DELAY=0", ";DB_CLOSE_ON_EXIT=FALSE", ";MODE=MySQL");
    assertThat(url.place()).isEqualTo("/data/m1");
  }

  @Test
  void aRelativeH2FileIsResolvedBecauseH2WouldRefuseIt() {
    JdbcUrl url = JdbcUrl.of(DatabaseSettings.of("jdbc:h2:file:data/central", "sa", ""));

    assertThat(url.text()).startsWith("jdbc:h2:async:" + Path.of("data/central").toAbsolutePath());
  }

  @Test
  void aMySqlConnectionIsInUtcBatchedAndReadsNoLocalFiles() {
    JdbcUrl url = JdbcUrl.of(DatabaseSettings.of("jdbc:mysql://db:3306/millrace", "m", "x"));

    assertThat(url.dialect()).isEqualTo(Dialect.MYSQL);
    assertThat(url.text())
        .startsWith("jdbc:mysql://db:3306/millrace?")
        .contains("connectionTimeZone=UTC", "rewriteBatchedStatements=true")
        .contains("allowLoadLocalInfile=false", "allowMultiQueries=false");
    // Executed by MariaDB only, which can limit idle transactions and nothing else.
    assertThat(url.sessionSetup())
        .matches(".*innodb_lock_wait_timeout = 10.*/\\*M!100600 , idle_transaction_timeout = 5.*");
    assertThat(url.place()).isEqualTo("jdbc:mysql://db:3306/millrace");
  }

  @Test
  void furtherMySqlOptionsAreKept() {
    JdbcUrl url = JdbcUrl.of(DatabaseSettings.of("jdbc:mysql://db/m?sslMode=REQUIRED", "m", "x"));

    assertThat(url.text()).contains("/m?sslMode=REQUIRED&connectionTimeZone=UTC");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mysql://db/m?allowLoadLocalInfile=true",
        "jdbc:mysql://db/m?sslMode=REQUIRED&ALLOWMULTIQUERIES=true",
        "jdbc:mysql://db/m?sessionVariables=wait_timeout=1",
        "jdbc:mysql://address=(host=db)(allowLoadLocalInfile=true)/m",
        "jdbc:h2:file:/data/x;INIT=RUNSCRIPT FROM '/tmp/x.sql'",
        "jdbc:h2:mem:x;TRACE_LEVEL_FILE=3",
        "jdbc:h2:tcp://elsewhere/x",
        "jdbc:postgresql://db/m",
        "jdbc:mariadb://db/m",
        "/data/x",
        ""
      })
  void unsafeOrUnknownOptionsAreRefused(String url) {
    assertThatThrownBy(() -> JdbcUrl.of(DatabaseSettings.of(url, "m", "x")))
        .isInstanceOfSatisfying(
            MillraceException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION))
        .hasMessageContaining("jdbc:h2:file:PATH");
  }

  @Test
  void aPasswordInTheUrlIsNeverRepeatedInMessages() {
    assertThatThrownBy(
            () -> JdbcUrl.of(DatabaseSettings.of("jdbc:oracle://u:hunter2@db/m", "m", "x")))
        .hasMessageNotContaining("hunter2");
    assertThat(JdbcUrl.of(DatabaseSettings.of("jdbc:mysql://u:hunter2@db/m", "", "")).place())
        .isEqualTo("jdbc:mysql://db/m");
  }
}
