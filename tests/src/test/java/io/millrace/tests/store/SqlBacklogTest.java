package io.millrace.tests.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.store.CommitSettings.Durability;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.PutOrder;
import io.millrace.queuenode.store.PutOrder.BatchLookup;
import io.millrace.queuenode.store.SegmentStore.BatchFigures;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.mysql.SqlSegmentStore;
import io.millrace.tests.server.SqlSchema;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Long queues and large events on a database server. */
class SqlBacklogTest {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  @TempDir private Path folder;
  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
  private SqlNode node;

  @BeforeEach
  void open() throws SQLException {
    SCHEMA.empty();
    node = new SqlNode(SqlSegmentStore.open(SCHEMA.store(folder), "q1", Durability.DISK, clock));
  }

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  void theRowsReadByALeaseDoNotDependOnTheLengthOfTheQueue() throws SQLException {
    for (int batch = 0; batch < 10; batch++) {
      node.put("b" + batch, 1_000);
    }

    long before = rowsRead();
    assertThat(node.take(10)).hasSize(10);
    // The status query reads some rows too.
    assertThat(rowsRead() - before).isLessThan(1_000);
  }

  @Test
  void aBatchOfLargeEventsIsReturnedUnchanged() {
    Random random = new Random(7);
    List<NewEvent> events =
        IntStream.range(0, 24)
            .mapToObj(
                number -> {
                  byte[] data = new byte[NewEvent.MAX_DATA];
                  random.nextBytes(data);
                  return new NewEvent("large-" + number, data, null);
                })
            .toList();
    node.store().put(new PutOrder(SqlNode.QUEUE, "large", events, 1_000_000L));
    node.store().commit();

    List<LeasedEvent> leased =
        node.store()
            .lease(new LeaseOrder(SqlNode.QUEUE, 100, Long.MAX_VALUE, Duration.ofSeconds(30)));

    assertThat(leased).hasSize(24);
    for (int number = 0; number < 24; number++) {
      assertThat(leased.get(number).event().data()).isEqualTo(events.get(number).data());
    }
  }

  /** One transaction for all of them would exceed the server's response timeout. */
  @Test
  void aLoweredLimitRemovesExcessBatchNamesInSeveralCommits() {
    for (int batch = 0; batch < 12_000; batch++) {
      node.store().put(SqlNode.batch("b" + batch, 1));
    }
    node.store().commit();
    node.close();

    node =
        new SqlNode(
            SqlSegmentStore.open(SCHEMA.store(folder), "q1", Durability.DISK, 1_000, clock));
    assertThat(node.store().batches()).isEqualTo(new BatchFigures(7_000, 1_000, 5_000));
    node.put("c1", 1);
    assertThat(node.store().batches().remembered()).isEqualTo(2_001);
    node.put("c2", 1);
    assertThat(node.store().batches()).isEqualTo(new BatchFigures(1_000, 1_000, 11_002));
    assertThat(node.store().stored(new BatchLookup(SqlNode.QUEUE, "b11002", 1))).isPresent();
    assertThat(node.store().stored(new BatchLookup(SqlNode.QUEUE, "b11001", 1))).isEmpty();
  }

  @Test
  void theDiskUsageOfTheStoreIsReported() {
    node.put("b", 1_000);
    clock.advance(Duration.ofMinutes(1));
    node.put("c", 1);

    assertThat(node.store().diskBytes()).isGreaterThan(64 * 1024);
  }

  private static long rowsRead() throws SQLException {
    try (Connection connection = SCHEMA.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Handler_read%'")) {
      long read = 0;
      while (rows.next()) {
        read += rows.getLong(2);
      }
      return read;
    }
  }
}
