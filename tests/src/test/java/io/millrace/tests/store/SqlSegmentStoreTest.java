package io.millrace.tests.store;

import io.millrace.queuenode.store.CommitSettings.Durability;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.mysql.SqlSegmentStore;
import io.millrace.tests.server.SqlSchema;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The contract on a real server; each test is a node of its own in one schema. */
class SqlSegmentStoreTest extends SegmentStoreContract {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  private static final AtomicInteger NODES = new AtomicInteger();

  @TempDir private Path folder;
  private final String node = "q" + NODES.incrementAndGet();

  @Override
  protected SegmentStore open() {
    return SqlSegmentStore.open(SCHEMA.store(folder), node, Durability.DISK, REMEMBERED, clock);
  }
}
