package io.millrace.tests.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every file that docs/architecture.md names exists. */
class ArchitectureNamesFilesTest {
  private static final Pattern NAME = Pattern.compile("`([a-z-]+):([a-z/]+/[A-Z]\\w*)`");
  private static final Map<String, String> PACKAGES =
      Map.of(
          "queue-node", "queuenode",
          "load-balancer", "loadbalancer",
          "executor-node", "executor",
          "submit-cli", "cli");

  @Test
  void everyNamedFileExists() throws IOException {
    Path root = SourceTree.root();
    Matcher names = NAME.matcher(Files.readString(root.resolve("docs/architecture.md")));
    List<String> files =
        names.results().map(name -> file(name.group(1), name.group(2))).distinct().toList();
    assertThat(files)
        .hasSizeGreaterThan(50)
        .allSatisfy(file -> assertThat(root.resolve(file)).exists());
  }

  private static String file(String module, String type) {
    String below = PACKAGES.getOrDefault(module, module);
    return module + "/src/main/java/io/millrace/" + below + "/" + type + ".java";
  }
}
