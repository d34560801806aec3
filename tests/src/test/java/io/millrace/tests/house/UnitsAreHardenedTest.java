package io.millrace.tests.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the systemd units permit to servers, and to jobs, which run in the unit of their agent. */
class UnitsAreHardenedTest {
  private static final Path UNITS = SourceTree.root().resolve("conf/systemd");
  private static final List<String> ALL =
      List.of("User=millrace", "UMask=0077", "NoNewPrivileges=yes", "ProtectKernelModules=yes");
  private static final List<String> SERVERS =
      List.of(
          "ProtectSystem=full",
          "PrivateTmp=yes",
          "ProtectKernelTunables=yes",
          "RestrictSUIDSGID=yes");

  @ParameterizedTest
  @CsvSource({
    "central-manager, true",
    "queue-node, true",
    "load-balancer, true",
    // Jobs have the file systems of their node.
    "execution-node, false"
  })
  void aUnitHasNoMoreRightsThanItsServerNeeds(String server, boolean strict) throws IOException {
    List<String> lines = Files.readAllLines(UNITS.resolve("millrace-" + server + ".service"));
    assertThat(lines).containsAll(ALL);
    if (strict) {
      assertThat(lines).containsAll(SERVERS);
    }
  }
}
