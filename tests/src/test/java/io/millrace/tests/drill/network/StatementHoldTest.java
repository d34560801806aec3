package io.millrace.tests.drill.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.tests.drill.cluster.Ports;
import io.millrace.tests.server.SqlSchema;
import java.net.InetSocketAddress;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A hold must really keep a transaction open, or a drill that freezes one proves nothing. */
@Timeout(60)
class StatementHoldTest {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  private static final Duration LONG = Duration.ofSeconds(20);

  private Link link;
  private Connection direct;
  private Connection held;

  @BeforeEach
  void connect() throws Exception {
    SCHEMA.empty();
    URI server = URI.create(SCHEMA.url().substring("jdbc:".length()));
    int port = new Ports(new SplittableRandom()).free();
    link = new Link("test", port, new InetSocketAddress(server.getHost(), server.getPort()));
    direct = SCHEMA.connect();
    run(direct, "create table t (id int primary key, value int)");
    run(direct, "insert into t values (1, 0), (2, 0)");
    held =
        DriverManager.getConnection(
            "jdbc:mysql://127.0.0.1:" + port + server.getPath() + "?sslMode=DISABLED",
            SCHEMA.user(),
            SCHEMA.password());
  }

  @AfterEach
  void close() throws SQLException {
    link.close();
    held.close();
    direct.close();
  }

  @Test
  void aHeldTransactionKeepsItsLocksUntilItIsReleased() throws Exception {
    StatementHold hold = StatementHold.after("update t set value = 1");
    link.hold(hold);
    CompletableFuture<Void> work = CompletableFuture.runAsync(() -> change(1));

    assertThat(hold.await(LONG)).isTrue();
    assertThatThrownBy(() -> run(direct, "select * from t where id = 1 for update nowait"))
        .isInstanceOf(SQLException.class);
    assertThat(work).isNotDone();

    hold.release();
    work.get(LONG.toSeconds(), TimeUnit.SECONDS);
    assertThat(value(1)).isEqualTo(1);
  }

  @Test
  void onlyATransactionWithAllStatementsInOrderIsHeld() throws Exception {
    StatementHold hold = StatementHold.after("where id = 2", "where id = 1");
    link.hold(hold);
    // The two are in separate transactions, then in one, in the other order.
    change(2);
    change(1);
    change(1, 2);
    CompletableFuture<Void> work = CompletableFuture.runAsync(() -> change(2, 1));

    assertThat(hold.await(LONG)).isTrue();
    assertThat(work).isNotDone();
    hold.release();
    work.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void theAnswerToACommitCanBeHeld() throws Exception {
    StatementHold hold = StatementHold.after("update t", "commit");
    link.hold(hold);
    CompletableFuture<Void> work = CompletableFuture.runAsync(() -> change(1));

    assertThat(hold.await(LONG)).isTrue();
    assertThat(value(1)).isEqualTo(1);
    assertThat(work).isNotDone();
    hold.release();
    work.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void aCloseByTheServerIsNotDeliveredBeforeTheRelease() throws Exception {
    run(held, "set session wait_timeout = 1");
    StatementHold hold = StatementHold.after("update t");
    link.hold(hold);
    CompletableFuture<Void> work = CompletableFuture.runAsync(() -> change(1));
    assertThat(hold.await(LONG)).isTrue();

    // Waits until the server has rolled it back.
    run(direct, "select * from t where id = 1 for update");
    assertThat(work).isNotDone();
    hold.release();
    assertThatThrownBy(() -> work.get(LONG.toSeconds(), TimeUnit.SECONDS))
        .hasRootCauseInstanceOf(Exception.class);
  }

  private void change(int... rows) {
    try {
      held.setAutoCommit(false);
      for (int row : rows) {
        run(held, "update t set value = 1 where id = " + row);
      }
      held.commit();
      held.setAutoCommit(true);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private int value(int row) throws SQLException {
    try (Statement statement = direct.createStatement();
        ResultSet found = statement.executeQuery("select value from t where id = " + row)) {
      found.next();
      return found.getInt(1);
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
