package io.millrace.tests.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A file with changes of tables is not changed once others have run it: their databases would
 * differ from new ones. A further change is a file of its own ("Add a migration" in
 * CONTRIBUTING.md), whose checksum is entered in {@code migrations.sha256} in the form of {@code
 * sha256sum}.
 */
class MigrationsAreFrozenTest {
  private static final String FOLDER = "src/main/resources/db/migration";

  @Test
  void noMigrationHasChanged() throws IOException, NoSuchAlgorithmException {
    assertThat(found()).containsExactlyInAnyOrderElementsOf(recorded());
  }

  private static List<String> recorded() throws IOException {
    try (var lines = MigrationsAreFrozenTest.class.getResourceAsStream("/migrations.sha256")) {
      return new String(lines.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  private static List<String> found() throws IOException, NoSuchAlgorithmException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> modules = Files.list(SourceTree.root())) {
      for (Path folder : modules.map(module -> module.resolve(FOLDER)).toList()) {
        if (Files.isDirectory(folder)) {
          addFiles(folder, found);
        }
      }
    }
    return found;
  }

  private static void addFiles(Path folder, List<String> found)
      throws IOException, NoSuchAlgorithmException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
        found.add(HexFormat.of().formatHex(digest) + "  " + SourceTree.root().relativize(file));
      }
    }
  }
}
