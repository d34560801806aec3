package io.millrace.tests.golden;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The series that docs/metrics.md describes, by server. */
public final class MetricsManual {
  private static final Path PAGE = Path.of("..", "docs", "metrics.md");
  private static final String EVERY_SERVER = "Every server";
  private static final String LATER = "from the first one on";
  private static final Pattern ROW =
      Pattern.compile("\\| `(\\w+)` \\| (\\w+) \\| ([\\w, ]*)\\| (.+) \\|");

  private final Map<String, Map<String, DocumentedMetric>> sections = new LinkedHashMap<>();

  private MetricsManual() {}

  /**
   * A series, or several that belong together.
   *
   * @param type counter, gauge, histogram or summary
   * @param labels besides role and node
   * @param later whether it is absent until what it counts has happened
   */
  record DocumentedMetric(String type, Set<String> labels, boolean later) {}

  /** Reads the page; every row of its tables must have the usual form. */
  public static MetricsManual read() {
    MetricsManual manual = new MetricsManual();
    String section = "";
    for (String line : lines()) {
      if (line.startsWith("## ")) {
        section = line.substring(3);
      } else if (line.startsWith("| `")) {
        Matcher row = ROW.matcher(line);
        if (!row.matches()) {
          throw new IllegalStateException(PAGE + " has a row of another form: " + line);
        }
        manual
            .sections
            .computeIfAbsent(section, none -> new TreeMap<>())
            .put(row.group(1), metric(row.group(2), row.group(3), row.group(4)));
      }
    }
    return manual;
  }

  private static DocumentedMetric metric(String type, String labels, String description) {
    Set<String> names =
        Pattern.compile(",")
            .splitAsStream(labels)
            .map(String::strip)
            .filter(label -> !label.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    return new DocumentedMetric(type, names, description.contains(LATER));
  }

  private static List<String> lines() {
    try {
      return Files.readAllLines(PAGE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The series of one kind of server, with those of every server. */
  Map<String, DocumentedMetric> of(String section) {
    Map<String, DocumentedMetric> all = new TreeMap<>(sections.get(section));
    all.putAll(sections.get(EVERY_SERVER));
    return all;
  }

  /** The names of all series, as a query names them: histograms with each of their series. */
  public Set<String> queried() {
    Set<String> names = new TreeSet<>();
    sections
        .values()
        .forEach(
            metrics ->
                metrics.forEach(
                    (name, metric) -> {
                      boolean histogram = metric.type().equals("histogram");
                      if (histogram || metric.type().equals("summary")) {
                        List.of("_count", "_sum", "_max").forEach(end -> names.add(name + end));
                      } else {
                        names.add(name);
                      }
                      if (histogram) {
                        names.add(name + "_bucket");
                      }
                    }));
    return names;
  }

  /** The labels of a series as a query names it. */
  public Set<String> labels(String queried) {
    Set<String> labels = new TreeSet<>(Set.of("role", "node", "job", "instance"));
    String plain = queried.replaceFirst("_(bucket|count|sum|max)$", "");
    sections
        .values()
        .forEach(
            metrics -> {
              DocumentedMetric metric = metrics.getOrDefault(queried, metrics.get(plain));
              if (metric != null) {
                labels.addAll(metric.labels());
                if (queried.endsWith("_bucket")) {
                  labels.add("le");
                }
              }
            });
    return labels;
  }

  /** The names of Millrace's own series. */
  public Set<String> own() {
    return sections.values().stream()
        .flatMap(metrics -> metrics.keySet().stream())
        .filter(name -> name.startsWith("millrace_"))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
