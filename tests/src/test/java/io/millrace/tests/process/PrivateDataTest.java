package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.TokenFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What servers write can be read by their own user only. */
@Tag("drill")
class PrivateDataTest {
  private static final Set<PosixFilePermission> OF_OTHERS =
      EnumSet.of(
          PosixFilePermission.GROUP_READ,
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE);

  @TempDir private Path folder;

  @Test
  void databasesLogsStoresTokensAndOutputsArePrivate() throws Exception {
    Distribution.assumeBuilt();
    Path data = folder.resolve("data");
    ServerProcess up =
        new Distribution(folder)
            .start("up", "up", "--data", data.toString(), "--port", "0", "--slots", "4", "--json");
    try {
      JsonNode said = Json.read(up.firstLine(), JsonNode.class);
      String token = TokenFiles.read(Path.of(said.get("tokenFile").asText()));
      CentralClient central =
          new CentralClient(
              new ApiClient(
                  new JdkTransport(),
                  new Endpoints(List.of(URI.create(said.get("url").asText()))),
                  () -> token));
      long job = central.submit(JobDraft.command("sh", "-c", "echo secret; umask").spec()).id();
      assertThat(central.await(job, Duration.ofMinutes(1)).state()).isEqualTo(JobState.SUCCEEDED);
      assertThat(open(data)).isEmpty();
    } finally {
      up.end();
    }
  }

  private static List<Path> open(Path data) throws IOException {
    try (Stream<Path> files = Files.walk(data)) {
      List<Path> all = files.toList();
      assertThat(all).hasSizeGreaterThan(20);
      return all.stream().filter(PrivateDataTest::isOpen).toList();
    }
  }

  /** Whether others than its owner can read or change it. */
  static boolean isOpen(Path file) {
    try {
      return Files.getPosixFilePermissions(file).stream().anyMatch(OF_OTHERS::contains);
    } catch (IOException e) {
      // Deleted meanwhile.
      return false;
    }
  }
}
