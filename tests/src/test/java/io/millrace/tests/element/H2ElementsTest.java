package io.millrace.tests.element;

import io.millrace.platform.database.DatabaseSettings;
import java.util.UUID;

class H2ElementsTest extends ElementsContract {
  @Override
  protected DatabaseSettings settings() {
    return DatabaseSettings.memory("elements-" + UUID.randomUUID());
  }
}
