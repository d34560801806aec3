package io.millrace.tests.partition;

import io.millrace.platform.database.DatabaseSettings;
import java.util.UUID;

class H2PartitionCyclesTest extends PartitionCyclesContract {
  @Override
  protected DatabaseSettings settings() {
    return DatabaseSettings.memory("cycles-" + UUID.randomUUID());
  }
}
