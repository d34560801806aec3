package io.millrace.tests.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.store.Change;
import io.millrace.queuenode.store.CommitSettings;
import io.millrace.queuenode.store.CommitSettings.Durability;
import io.millrace.queuenode.store.GroupCommitter;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.mysql.SqlSegmentStore;
import io.millrace.tests.server.SqlSchema;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Two processes never serve one store, and a server that may lose events is refused. */
class SqlFencingTest {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  @TempDir private Path folder;
  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));

  @BeforeEach
  void emptySchema() throws SQLException {
    SCHEMA.empty();
  }

  @Test
  void openingAStoreFencesTheEarlierOpener() {
    try (SqlNode older = open("q1")) {
      older.put("b1", 3);
      try (SqlNode newer = open("q1")) {
        assertThatThrownBy(() -> older.put("b2", 1))
            .hasMessageContaining("the store of node q1 at ")
            .hasMessageContaining("was opened by another process (term 2, this one has 1)");
        assertThatThrownBy(older.store()::rollback).hasMessageContaining("another process");

        assertThat(newer.take(10)).containsExactly("b1-0", "b1-1", "b1-2");
      }
    }
  }

  @Test
  void aFencedNodeRefusesEveryRequestWithTheReason() throws Exception {
    try (SqlNode older = open("q1");
        SqlNode newer = open("q1")) {
      GroupCommitter<SegmentStore> committer =
          new GroupCommitter<>("q1", older.store(), clock, CommitSettings.of(Durability.DISK));
      committer.start();
      try {
        assertThatThrownBy(() -> answer(committer)).rootCause().hasMessageContaining("another");
        await().until(() -> !committer.healthy());
        assertThatThrownBy(() -> answer(committer))
            .isInstanceOfSatisfying(
                MillraceException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_FAILURE));
      } finally {
        committer.stop();
      }
      assertThat(newer.take(10)).isEmpty();
    }
  }

  private static void answer(GroupCommitter<SegmentStore> committer) throws Exception {
    CompletableFuture<?> answer = committer.submit(Change.put(SqlNode.batch("b", 1)));
    try {
      answer.get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw (Exception) e.getCause();
    }
  }

  @Test
  void nodesThatShareASchemaAreIndependent() {
    try (SqlNode one = open("q1");
        SqlNode two = open("q2")) {
      one.put("b", 2);
      two.put("b", 1);

      assertThat(one.take(10)).containsExactly("b-0", "b-1");
      assertThat(two.take(10)).containsExactly("b-0");
    }
    try (SqlNode one = open("q1")) {
      assertThat(one.store().term()).isEqualTo(2);
      assertThat(one.inserted()).isEqualTo(2);
    }
  }

  @Test
  void aStoreRestoredFromAnOlderCopyIsDetected() throws SQLException {
    try (SqlNode node = open("q1")) {
      node.put("b1", 1);
      execute("UPDATE store SET commits = commits - 1");

      assertThatThrownBy(() -> node.put("b2", 1))
          .hasMessageContaining("is not as this node left it")
          .hasMessageContaining("restart this node");
    }
  }

  @Test
  void aServerThatDoesNotSyncItsCommitsIsRefusedForDurabilityDisk() throws SQLException {
    execute("SET GLOBAL innodb_flush_log_at_trx_commit = 2");
    try {
      assertThatThrownBy(() -> open("q1"))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("innodb_flush_log_at_trx_commit is 2")
          .hasMessageContaining("set it to 1, or set this node's durability to process");
      SqlSegmentStore.open(SCHEMA.store(folder), "q1", Durability.PROCESS, clock).close();
    } finally {
      execute("SET GLOBAL innodb_flush_log_at_trx_commit = 1");
    }
  }

  private SqlNode open(String node) {
    return new SqlNode(SqlSegmentStore.open(SCHEMA.store(folder), node, Durability.DISK, clock));
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = SCHEMA.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
