package io.millrace.tests.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every file that the documents for developers name exists. */
class ArchitectureNamesFilesTest {
  private static final Pattern NAME = Pattern.compile("`([a-z-]+):([a-z/]+/[A-Z]\\w*)`");
  private static final Pattern SOURCE = Pattern.compile("`(src/[^`]*\\.[a-z]+)`");
  private static final Map<String, String> PACKAGES =
      Map.of(
          "queue-node", "queuenode",
          "load-balancer", "loadbalancer",
          "executor-node", "executor",
          "submit-cli", "cli");

  @Test
  void everyFileOfTheArchitectureExists() throws IOException {
    assertThat(named("docs/architecture.md")).hasSizeGreaterThan(50);
    assertThat(missing("docs/architecture.md")).isEmpty();
  }

  @Test
  void everyFileOfTheRecipesAndReadmesExists() throws IOException {
    assertThat(named("CONTRIBUTING.md")).isNotEmpty();
    assertThat(missing("CONTRIBUTING.md")).isEmpty();
    try (Stream<Path> modules = Files.list(SourceTree.root())) {
      for (Path module : modules.filter(one -> Files.exists(one.resolve("README.md"))).toList()) {
        assertThat(missing(module.getFileName() + "/README.md")).as(module.toString()).isEmpty();
      }
    }
  }

  /** Short paths, and those that begin with {@code src/} in a module's README. */
  private static List<Path> named(String document) throws IOException {
    Path root = SourceTree.root();
    String text = Files.readString(root.resolve(document));
    Path module = root.resolve(document).getParent();
    return Stream.concat(
            NAME.matcher(text)
                .results()
                .map(name -> root.resolve(file(name.group(1), name.group(2)))),
            SOURCE.matcher(text).results().map(name -> module.resolve(name.group(1))))
        .distinct()
        .toList();
  }

  private static List<Path> missing(String document) throws IOException {
    return named(document).stream().filter(file -> !Files.exists(file)).toList();
  }

  private static String file(String module, String type) {
    String below = PACKAGES.getOrDefault(module, module);
    return module + "/src/main/java/io/millrace/" + below + "/" + type + ".java";
  }
}
