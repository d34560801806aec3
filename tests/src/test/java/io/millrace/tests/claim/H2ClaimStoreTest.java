package io.millrace.tests.claim;

import io.millrace.platform.database.DatabaseSettings;
import java.util.UUID;

class H2ClaimStoreTest extends ClaimStoreContract {
  @Override
  protected DatabaseSettings settings() {
    return DatabaseSettings.memory("claims-" + UUID.randomUUID());
  }
}
