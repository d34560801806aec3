package io.millrace.tests.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The baseline of a module's tables is not changed accidentally. Until the first release (the
 * version is 0.1.0-SNAPSHOT) a baseline may still change, together with its checksum here; older
 * development databases are then refused. From the first release on it must not change; a change is
 * a new file beside it, {@code V002__what.sql} and so on.
 */
class BaselinesAreFrozenTest {
  @ParameterizedTest
  @CsvSource({
    "manager/central, 26172e08fd57960fa8b5bc0007f2344660ae16f3e01d2e8ee5eee39446143ac1",
    "platform/platform, 24067abfcd3ddf5c3248edbdddbceca53a2522a600a38e020a47ae98415473f2",
    "queue-node/segments, 14e0f4bab7838125f96a23c91633e1150ea1854974f53c7a215e6d1d0fbd577e"
  })
  void theBaselineIsUnchanged(String folder, String sha256)
      throws IOException, NoSuchAlgorithmException {
    Path baseline =
        SourceTree.root()
            .resolve(folder.substring(0, folder.indexOf('/')))
            .resolve("src/main/resources/db/migration")
            .resolve(folder.substring(folder.indexOf('/') + 1))
            .resolve("V001__baseline.sql");
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(baseline));
    assertThat(HexFormat.of().formatHex(digest))
        .as(
            "%s: from the first release on, put the change into a new file V002__what.sql beside it;"
                + " until then, enter the new checksum here",
            baseline)
        .isEqualTo(sha256);
  }
}
