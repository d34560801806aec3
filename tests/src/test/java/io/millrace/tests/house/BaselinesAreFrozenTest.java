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
 * The baseline of each module's tables stays as it is: databases that were made with it exist, and
 * Flyway refuses to open them with another. A change of the tables is a new file beside it.
 */
class BaselinesAreFrozenTest {
  @ParameterizedTest
  @CsvSource({
    "manager/central, 32befcfce048cd07ab33db766e31da82350443a58acfdd20b1ade94cd472bf52",
    "platform/platform, 129abea0acd7c221a2304b17fe90b64b32e2e85611523089d6c3eb70d6bf2e78",
    "queue-node/segments, 14998e0ff6e6c79baeae3a0e1927e69aeb0f78aebb688c9ee95a82fff074d451"
  })
  void theBaselineIsTheOneThatDatabasesWereMadeWith(String folder, String sha256)
      throws IOException, NoSuchAlgorithmException {
    Path baseline =
        SourceTree.root()
            .resolve(folder.substring(0, folder.indexOf('/')))
            .resolve("src/main/resources/db/migration")
            .resolve(folder.substring(folder.indexOf('/') + 1))
            .resolve("V001__baseline.sql");
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(baseline));
    assertThat(HexFormat.of().formatHex(digest))
        .as("%s: put the change into a new file V002__what.sql beside it", baseline)
        .isEqualTo(sha256);
  }
}
