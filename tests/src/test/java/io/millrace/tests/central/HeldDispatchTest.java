package io.millrace.tests.central;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDraft;
import io.millrace.manager.app.CentralManager;
import io.millrace.manager.app.CentralSettings;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Role;
import io.millrace.tests.database.DatabaseLink;
import io.millrace.tests.drill.network.StatementHold;
import io.millrace.tests.server.SqlSchema;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A central manager that stalls in the middle of a dispatch does not stop the others. */
@Tag("drill")
@Timeout(180)
class HeldDispatchTest {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  // MariaDB's code, also returned for a lock requested with NOWAIT.
  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String DISPATCH = "'dispatch:default'.* for update";

  @TempDir private Path folder;
  private final ApiNode node = new ApiNode("e1");
  private DatabaseLink way;
  private CentralManager one;
  private CentralManager two;
  private Connection direct;

  @BeforeEach
  void start() throws Exception {
    SCHEMA.empty();
    direct = SCHEMA.connect();
    KeyFiles.ensure(folder.resolve("tokens"));
    way = DatabaseLink.to(SCHEMA.settings());
    // Started first, so that it holds the dispatch claim.
    one = manager("c1", way.settings());
    one.start();
    two = manager("c2", SCHEMA.settings());
  }

  @AfterEach
  void stop() throws SQLException {
    two.stop();
    one.stop();
    way.close();
    direct.close();
  }

  private CentralManager manager(String name, DatabaseSettings database) {
    return new CentralManager(
        CentralSettings.defaults()
            .withName(name)
            .withDataDirectory(folder.resolve(name))
            .withTokensDirectory(Optional.of(folder.resolve("tokens")))
            .withWeb(WebSettings.loopback(0))
            .withDatabase(database),
        new SystemClock());
  }

  @Test
  void heartbeatsContinueWhileADispatchIsStalledAndAnotherManagerTakesOver() throws Exception {
    node.register(one);
    StatementHold hold = StatementHold.after(DISPATCH, "insert into attempt");
    way.link().hold(hold);
    long first = submit(one);
    assertThat(hold.await(LONG)).isTrue();
    two.start();

    node.poll(two);
    assertThatThrownBy(() -> number("select count(*) from node_lock for update nowait"))
        .as("the dispatch still holds its locks")
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(LOCK_WAIT_TIMEOUT));

    long second = submit(two);
    List<AttemptId> started = new ArrayList<>();
    await()
        .atMost(LONG)
        .until(
            () -> {
              started.addAll(node.poll(two));
              return started.size() == 2;
            });
    assertThat(started)
        .containsExactlyInAnyOrder(new AttemptId(first, 1), new AttemptId(second, 1));

    hold.release();
    long third = submit(one);
    await().atMost(LONG).until(() -> node.poll(one).contains(new AttemptId(third, 1)));
    assertThat(number("select count(*) from attempt")).isEqualTo(3);
    assertThat(number("select count(*) from node where standing <> 'EMPLOYED'")).isZero();
  }

  private static long submit(CentralManager manager) {
    return ApiNode.client(manager, Role.OPERATOR).submit(JobDraft.command("true").spec()).id();
  }

  private long number(String query) throws SQLException {
    try (Statement statement = direct.createStatement();
        ResultSet found = statement.executeQuery(query)) {
      found.next();
      return found.getLong(1);
    }
  }
}
