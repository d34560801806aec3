package io.millrace.tests.sample;

import io.millrace.platform.database.DatabaseSettings;
import java.util.UUID;

class H2SampleKeepingTest extends SampleKeepingContract {
  @Override
  protected DatabaseSettings settings() {
    return DatabaseSettings.memory("samples-" + UUID.randomUUID());
  }
}
