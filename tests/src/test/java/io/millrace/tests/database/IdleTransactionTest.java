package io.millrace.tests.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.tests.drill.network.LinkFailure;
import io.millrace.tests.drill.network.StatementHold;
import io.millrace.tests.server.SqlSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client that freezes or is cut off in the middle of a transaction does not keep its locks. */
@Tag("drill")
@Timeout(120)
class IdleTransactionTest {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String ADD = "update counter set value = value + 1 where id = 1";

  private DatabaseLink way;
  private Database far;
  private Database near;
  private Connection direct;

  @BeforeEach
  void open() throws Exception {
    SCHEMA.empty();
    direct = SCHEMA.connect();
    run("create table counter (id int primary key, value int)");
    run("insert into counter values (1, 0)");
    way = DatabaseLink.to(SCHEMA.settings());
    far = Database.open(way.settings(), List.of("platform"));
    near = Database.open(SCHEMA.settings(), List.of("platform"));
  }

  @AfterEach
  void close() throws SQLException {
    way.close();
    far.close();
    near.close();
    direct.close();
  }

  @Test
  void aStalledTransactionIsEndedByTheServerAndRepeatedCompletely() throws Exception {
    StatementHold hold = StatementHold.after("value = value \\+ 1");
    way.link().hold(hold);
    AtomicInteger tries = new AtomicInteger();
    CompletableFuture<Integer> frozen =
        CompletableFuture.supplyAsync(
            () ->
                far.transaction(
                    handle -> {
                      tries.incrementAndGet();
                      handle.execute(ADD);
                      return handle.execute("insert into counter values (2, 0)");
                    }));
    assertThat(hold.await(LONG)).isTrue();

    // Waits for the row for less than the lock timeout.
    near.transaction(handle -> handle.execute(ADD));
    assertThat(value()).isEqualTo(1);
    assertThat(frozen).isNotDone();

    hold.release();
    frozen.get(LONG.toSeconds(), TimeUnit.SECONDS);
    assertThat(tries).hasValue(2);
    assertThat(value()).isEqualTo(2);
  }

  @Test
  void aStalledTransactionThatOnlyReadAndLockedIsEndedByTheServer() throws Exception {
    StatementHold hold = StatementHold.after("for update");
    way.link().hold(hold);
    CompletableFuture<Integer> frozen =
        CompletableFuture.supplyAsync(
            () ->
                far.transaction(
                    handle -> {
                      handle.execute("select * from counter where id = 1 for update");
                      return handle.execute(ADD);
                    }));
    assertThat(hold.await(LONG)).isTrue();

    near.transaction(handle -> handle.execute(ADD));
    hold.release();
    frozen.get(LONG.toSeconds(), TimeUnit.SECONDS);
    assertThat(value()).isEqualTo(2);
  }

  @Test
  void aConnectionLostDuringCommitIsReportedAndTheTransactionIsNotRepeated() throws Exception {
    StatementHold hold = StatementHold.after("value = value \\+ 1", "commit");
    way.link().hold(hold);
    CompletableFuture<Integer> cutOff =
        CompletableFuture.supplyAsync(() -> far.transaction(handle -> handle.execute(ADD)));
    assertThat(hold.await(LONG)).isTrue();
    way.link().cut(LinkFailure.REFUSED);

    assertThatThrownBy(cutOff::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_FAILURE))
        .hasMessageContaining("lost during a commit");
    assertThat(value()).isEqualTo(1);
  }

  @Test
  void aConnectionIdleForLongerThanTheTransactionTimeoutIsReused() throws Exception {
    long before = connection();
    // By the server's clock, so that it really is idle that long.
    run("select sleep(7)");
    assertThat(connection()).isEqualTo(before);
    assertThat(far.<Integer, RuntimeException>transaction(handle -> handle.execute(ADD))).isOne();
  }

  @Test
  void readsContinueWhileTransactionsWaitForLocks() throws Exception {
    DatabaseSettings usual = SCHEMA.settings();
    run("begin");
    run(ADD);
    List<CompletableFuture<Integer>> waiting = new ArrayList<>();
    for (int i = 0; i < usual.poolSize() + 2; i++) {
      waiting.add(
          CompletableFuture.supplyAsync(
              () -> near.transaction(handle -> handle.execute(ADD)),
              task -> new Thread(task).start()));
    }
    await("some wait for the row").atMost(LONG).until(() -> lockWaits() >= usual.poolSize() / 2);

    assertThat(near.now()).isNotNull();
    assertThat(waiting).noneMatch(CompletableFuture::isDone);
    run("commit");
    waiting.forEach(CompletableFuture::join);
    assertThat(value()).isEqualTo(1 + waiting.size());
  }

  private long connection() {
    return far.read(handle -> handle.createQuery("select connection_id()").mapTo(Long.class).one());
  }

  private long lockWaits() throws SQLException {
    return number(
        "select count(*) from information_schema.innodb_trx where trx_state = 'LOCK WAIT'");
  }

  private long value() throws SQLException {
    return number("select value from counter where id = 1");
  }

  private long number(String query) throws SQLException {
    try (Statement statement = direct.createStatement();
        ResultSet found = statement.executeQuery(query)) {
      found.next();
      return found.getLong(1);
    }
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = direct.createStatement()) {
      statement.execute(sql);
    }
  }
}
