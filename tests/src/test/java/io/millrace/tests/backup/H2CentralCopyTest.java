package io.millrace.tests.backup;

import io.millrace.platform.database.DatabaseSettings;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;

class H2CentralCopyTest extends CentralCopyContract {
  @TempDir private Path files;

  @Override
  protected DatabaseSettings settings() {
    return DatabaseSettings.file(files.resolve(UUID.randomUUID().toString()), "central");
  }
}
