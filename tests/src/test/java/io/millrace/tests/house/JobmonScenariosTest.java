package io.millrace.tests.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tests that docs/differences-jobmon.md names exist, and it names every scenario. */
class JobmonScenariosTest {
  private static final Pattern MENTION = Pattern.compile("`(\\w+Test)(?:#(\\w+))?`");
  private static final Pattern METHOD =
      Pattern.compile("@(?:Test|ParameterizedTest)\\b.*?void (\\w+)\\(", Pattern.DOTALL);

  @Test
  void everyNamedTestExistsAndEveryScenarioIsNamed() throws IOException {
    String manual = Files.readString(SourceTree.root().resolve("docs/differences-jobmon.md"));
    Map<String, String> sources = sources();
    List<String> missing = new ArrayList<>();
    Matcher mention = MENTION.matcher(manual);
    while (mention.find()) {
      String source = sources.getOrDefault(mention.group(1), "");
      boolean exists =
          mention.group(2) == null || source.contains("void " + mention.group(2) + "(");
      if (source.isEmpty() || !exists) {
        missing.add(mention.group());
      }
    }
    sources.forEach(
        (name, source) -> {
          if (name.startsWith("Jobmon") && !name.equals("JobmonScenariosTest")) {
            METHOD
                .matcher(source)
                .results()
                .map(found -> "`" + name + "#" + found.group(1) + "`")
                .filter(scenario -> !manual.contains(scenario))
                .forEach(missing::add);
          }
        });
    assertThat(missing).isEmpty();
  }

  /** The texts of all test classes by their names. */
  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    for (String module : List.of("api", "executor-node", "manager", "submit-cli", "tests")) {
      Path tests = SourceTree.root().resolve(module).resolve("src/test/java");
      try (Stream<Path> files = Files.walk(tests)) {
        for (Path file : files.filter(one -> one.toString().endsWith("Test.java")).toList()) {
          String name = file.getFileName().toString().replace(".java", "");
          sources.put(name, Files.readString(file));
        }
      }
    }
    return sources;
  }
}
