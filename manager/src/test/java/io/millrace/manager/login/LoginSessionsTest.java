package io.millrace.manager.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.manager.queue.QueueWorld;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoginSessionsTest {
  private static final Principal ANN = Principal.of(Role.VIEWER, "ann");

  @TempDir private Path folder;
  private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
  private QueueWorld world;
  private LoginSessions sessions;

  @BeforeEach
  void open() {
    world = new QueueWorld(folder);
    sessions = new LoginSessions(world.database, clock);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aSessionBelongsToItsUserAtEveryCentralManager() {
    String session = sessions.open(ANN);
    assertThat(sessions.find(session)).contains(ANN);
    assertThat(new LoginSessions(world.database, clock).find(session)).contains(ANN);
    assertThat(sessions.open(ANN)).isNotEqualTo(session);
  }

  @Test
  void aSessionThatWasEndedIsOverHereAtOnceAndElsewhereAfterSeconds() {
    LoginSessions elsewhere = new LoginSessions(world.database, clock);
    String session = sessions.open(ANN);
    assertThat(sessions.find(session)).isPresent();
    assertThat(elsewhere.find(session)).isPresent();
    sessions.end(session);
    assertThat(sessions.find(session)).isEmpty();
    clock.advance(LoginSessions.CACHED);
    assertThat(elsewhere.find(session)).isEmpty();
    sessions.end(session);
  }

  @Test
  void aUserWhoLogsInVeryOftenLosesOnlyTheOldestSessionsOfThatUser() {
    Principal bob = Principal.of(Role.VIEWER, "bob");
    String other = sessions.open(bob);
    world.database.transaction(
        handle -> {
          for (int i = 0; i < LoginSessions.MAX_OF_USER; i++) {
            handle.execute(
                "insert into login_session (hash, subject, role, expires_at)"
                    + " values (?, 'ann', 'viewer', timestampadd(second, ?, '2030-01-01 00:00:00'))",
                "old-" + i,
                i);
          }
          return null;
        });
    String newest = sessions.open(ANN);
    assertThat(sessions.find(newest)).contains(ANN);
    assertThat(sessions.find(other)).contains(bob);
    List<String> left =
        world.database.read(
            handle ->
                handle
                    .createQuery("select hash from login_session where subject = 'ann'")
                    .mapTo(String.class)
                    .list());
    assertThat(left).hasSize(LoginSessions.MAX_OF_USER).contains("old-1").doesNotContain("old-0");
  }

  @Test
  void aSessionExpires() {
    String session = sessions.open(ANN);
    world.database.transaction(
        handle -> handle.execute("update login_session set expires_at = '2020-01-01 00:00:00'"));
    assertThat(sessions.find(session)).isEmpty();
    sessions.open(ANN);
    int kept =
        world.database.read(
            handle ->
                handle
                    .createQuery("select count(*) from login_session")
                    .mapTo(Integer.class)
                    .one());
    assertThat(kept).as("expired sessions are deleted").isOne();
  }

  @Test
  void unknownAbsurdAndStoredValuesOpenNothing() {
    sessions.open(ANN);
    String stored =
        world.database.read(
            handle ->
                handle.createQuery("select hash from login_session").mapTo(String.class).one());
    for (String value : new String[] {"", "x", "x".repeat(100_000), stored}) {
      assertThat(sessions.find(value)).isEmpty();
    }
  }

  @Test
  void endingSessionsThatNeverWereWritesNothing() {
    String session = sessions.open(ANN);
    List<String> written = Collections.synchronizedList(new ArrayList<>());
    Jdbi jdbi = world.database.read(Handle::getJdbi);
    jdbi.getConfig(SqlStatements.class)
        .setSqlLogger(
            new SqlLogger() {
              @Override
              public void logAfterExecution(StatementContext context) {
                if (!context.getRenderedSql().strip().startsWith("select")) {
                  written.add(context.getRenderedSql());
                }
              }
            });
    for (int i = 0; i < 10; i++) {
      sessions.end("invented-" + i);
      sessions.end("x".repeat(100_000));
    }
    assertThat(written).isEmpty();
    sessions.end(session);
    assertThat(written).singleElement().asString().contains("delete from login_session");
  }
}
