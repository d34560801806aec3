package io.millrace.tests.server;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.millrace.tests.drill.cluster.Ports;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("drill")
class DatabaseProcessTest {
  @TempDir private Path folder;

  @Test
  void aServerThatEndedIsRestartedUntilItIsWritable() throws IOException {
    try (DatabaseProcess server =
        DatabaseProcess.create(
            folder, new Ports(new SplittableRandom()).free(), "recovered", Map.of())) {
      server.kill();

      server.recover();

      assertThatCode(() -> server.administer("create table recovered.one (id int primary key)"))
          .doesNotThrowAnyException();
    }
  }
}
