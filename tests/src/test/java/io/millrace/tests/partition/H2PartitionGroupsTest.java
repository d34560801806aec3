package io.millrace.tests.partition;

import io.millrace.platform.database.DatabaseSettings;
import java.util.UUID;

class H2PartitionGroupsTest extends PartitionGroupsContract {
  @Override
  protected DatabaseSettings settings() {
    return DatabaseSettings.memory("groups-" + UUID.randomUUID());
  }
}
