package io.millrace.tests.golden;

import io.millrace.tests.golden.MetricsManual.DocumentedMetric;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The metrics of a server without values: name, type, labels and help. */
final class MetricFamilies {
  private static final Pattern SERIES = Pattern.compile("([a-z_0-9A-Z]+)(?:\\{(.*)})? .*");
  private static final Pattern LABEL = Pattern.compile("([a-z_A-Z0-9]+)=\"");

  private final Map<String, String> help = new TreeMap<>();
  private final Map<String, String> types = new TreeMap<>();
  private final Map<String, TreeSet<String>> labels = new TreeMap<>();

  /** Reads the Prometheus text. */
  MetricFamilies(String text) {
    text.lines().forEach(this::read);
  }

  private void read(String line) {
    String[] words = line.split(" ", 4);
    if (line.startsWith("# HELP ")) {
      help.put(words[2], words.length > 3 ? words[3] : "");
    } else if (line.startsWith("# TYPE ")) {
      types.put(words[2], words[3]);
    } else {
      Matcher series = SERIES.matcher(line);
      if (series.matches()) {
        TreeSet<String> all =
            labels.computeIfAbsent(family(series.group(1)), none -> new TreeSet<>());
        Matcher label = LABEL.matcher(series.group(2) == null ? "" : series.group(2));
        while (label.find()) {
          all.add(label.group(1));
        }
      }
    }
  }

  // The series of a summary have suffixes.
  private String family(String series) {
    if (types.containsKey(series)) {
      return series;
    }
    String plain = series.replaceFirst("_(bucket|count|sum|max|total|created|info)$", "");
    return types.containsKey(plain) ? plain : series;
  }

  /** One line for each family, followed by its help. */
  String text() {
    return labels.keySet().stream()
        .map(
            name ->
                "%s %s %s%n    %s"
                    .formatted(
                        name,
                        types.getOrDefault(name, "untyped"),
                        labels.get(name),
                        help.getOrDefault(name, "")))
        .collect(Collectors.joining("\n"));
  }

  /**
   * How this differs from the manual: series that it does not describe, describes with another type
   * or other labels, or describes and that are not here.
   */
  List<String> differencesFrom(Map<String, DocumentedMetric> manual) {
    List<String> differences = new ArrayList<>();
    for (String name : labels.keySet()) {
      DocumentedMetric metric = manual.get(name);
      if (metric == null) {
        if (!isLargest(name, manual)) {
          differences.add(name + " is not described");
        }
        continue;
      }
      Set<String> found = new TreeSet<>(labels.get(name));
      found.removeAll(Set.of("role", "node", "le"));
      if (!found.equals(metric.labels())) {
        differences.add("%s has labels %s, not %s".formatted(name, found, metric.labels()));
      }
      if (!metric.type().equals(types.get(name))) {
        differences.add("%s is a %s, not a %s".formatted(name, types.get(name), metric.type()));
      }
      if (help.getOrDefault(name, "").isBlank()) {
        differences.add(name + " has no help text");
      }
    }
    manual.forEach(
        (name, metric) -> {
          if (!labels.containsKey(name) && !metric.later()) {
            differences.add(name + " is described and not measured");
          }
        });
    return differences;
  }

  private static boolean isLargest(String name, Map<String, DocumentedMetric> manual) {
    DocumentedMetric plain = manual.get(name.replaceFirst("_max$", ""));
    return plain != null && Set.of("histogram", "summary").contains(plain.type());
  }
}
