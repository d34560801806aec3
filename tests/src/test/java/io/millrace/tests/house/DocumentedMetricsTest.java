package io.millrace.tests.house;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.tests.golden.MetricsManual;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Meters of the code and series of docs/metrics.md are the same. ClusterGoldenTest compares types
 * and labels with running servers; this finds what happens in none of its scenarios.
 */
class DocumentedMetricsTest {
  private static final Pattern METER = Pattern.compile("\"(millrace\\.[a-z]+(?:\\.[a-z]+)*)\"");
  private static final Pattern UNIT = Pattern.compile("(_total|_seconds)$");

  @Test
  void everyMeterIsDescribedAndEveryDescriptionHasAMeter() throws IOException {
    Set<String> meters = new TreeSet<>();
    for (Path file : measuring()) {
      METER
          .matcher(Files.readString(file))
          .results()
          .map(found -> plain(found.group(1).replace('.', '_')))
          .forEach(meters::add);
    }
    // The name of these counters is composed.
    Set.of("inserted", "delivered", "acknowledged", "failed", "returned")
        .forEach(what -> meters.add("millrace_segment_" + what));

    Set<String> described =
        MetricsManual.read().own().stream()
            .map(DocumentedMetricsTest::plain)
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(described).isEqualTo(meters);
  }

  private static List<Path> measuring() throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path file : sources()) {
      if (Files.readString(file).contains("io.micrometer.core")) {
        found.add(file);
      }
    }
    return found;
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(SourceTree.root())) {
      return files
          .filter(file -> file.toString().contains("/src/main/java/"))
          .filter(file -> file.toString().endsWith(".java"))
          .toList();
    }
  }

  private static String plain(String name) {
    return UNIT.matcher(name).replaceFirst("");
  }
}
