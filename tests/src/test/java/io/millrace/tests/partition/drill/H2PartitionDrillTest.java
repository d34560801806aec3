package io.millrace.tests.partition.drill;

import io.millrace.platform.database.DatabaseSettings;
import java.util.UUID;

class H2PartitionDrillTest extends PartitionDrill {
  @Override
  protected DatabaseSettings settings() {
    return DatabaseSettings.memory("drill-" + UUID.randomUUID());
  }
}
