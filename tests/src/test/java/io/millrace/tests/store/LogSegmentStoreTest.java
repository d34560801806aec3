package io.millrace.tests.store;

import io.millrace.queuenode.store.LogSegmentStore;
import io.millrace.queuenode.store.SegmentStore;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract over the append-only log. */
class LogSegmentStoreTest extends SegmentStoreContract {
  @TempDir private Path folder;

  @Override
  protected SegmentStore open() {
    return LogSegmentStore.open(folder, REMEMBERED, clock);
  }
}
