package io.millrace.tests.server;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("drill")
class DatabaseProcessTest {
  @TempDir private Path folder;

  @Test
  void aServerThatEndedIsRestartedUntilItIsWritable() throws IOException {
    try (DatabaseProcess server =
        DatabaseProcess.create(folder, freePort(), "recovered", Map.of())) {
      server.kill();

      server.recover();

      assertThatCode(() -> server.administer("create table recovered.one (id int primary key)"))
          .doesNotThrowAnyException();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
