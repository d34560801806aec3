package io.millrace.tests.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.platform.document.YamlReader;
import io.millrace.tests.golden.MetricsManual;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The alert rules and the dashboard of conf/ ask for series of docs/metrics.md only, with labels
 * that these have.
 */
class MonitoringConfigurationTest {
  private static final Path CONF = SourceTree.root().resolve("conf");
  private static final Pattern SERIES =
      Pattern.compile("\\b((?:millrace|process|jvm|system)_\\w+)(?:\\{([^}]*)})?");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(?:=~|!~|!=|=)");
  private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");

  private final MetricsManual manual = MetricsManual.read();

  @Test
  void alertsAskForSeriesThatExist() throws IOException {
    List<JsonNode> rules = rules();

    assertThat(rules).hasSizeGreaterThan(15);
    assertThat(rules).extracting(rule -> rule.path("alert").asText()).doesNotHaveDuplicates();
    for (JsonNode rule : rules) {
      String name = rule.path("alert").asText();
      check(name, rule.path("expr").asText());
      assertThat(rule.path("for").asText()).as(name).matches("\\d+[smh]");
      assertThat(rule.at("/labels/severity").asText()).as(name).isIn("warning", "critical");
      assertThat(rule.at("/annotations/summary").asText()).as(name).isNotBlank();
      assertThat(rule.at("/annotations/description").asText()).as(name).isNotBlank();
    }
  }

  @Test
  void theDashboardAsksForSeriesThatExist() throws IOException {
    JsonNode dashboard = Json.mapper().readTree(CONF.resolve("grafana/millrace.json").toFile());
    Set<Integer> ids = new HashSet<>();
    int queries = 0;

    for (JsonNode panel : dashboard.path("panels")) {
      String title = panel.path("title").asText();
      assertThat(ids.add(panel.path("id").asInt())).as(title).isTrue();
      for (JsonNode target : panel.path("targets")) {
        check(title, target.path("expr").asText());
        assertThat(target.at("/datasource/uid").asText()).isEqualTo("${datasource}");
        queries++;
      }
    }

    assertThat(queries).isGreaterThan(40);
  }

  @Test
  void everyServerOfTheSampleClusterIsScraped() throws IOException {
    Set<String> targets = new TreeSet<>();
    for (JsonNode job : yaml("prometheus/prometheus.yml").path("scrape_configs")) {
      job.at("/static_configs/0/targets").forEach(target -> targets.add(target.asText()));
      assertThat(job.at("/authorization/credentials_file").asText()).endsWith("viewer.token");
    }

    Set<String> servers = new TreeSet<>();
    try (Stream<Path> files = Files.list(CONF.resolve("cluster"))) {
      for (Path file : files.toList()) {
        JsonNode web = yaml("cluster/" + file.getFileName()).path("web");
        servers.add(web.path("host").asText() + ":" + web.path("port").asText());
      }
    }
    assertThat(targets).isEqualTo(servers);
    assertThat(yaml("prometheus/prometheus.yml").at("/rule_files/0").asText())
        .isEqualTo("millrace-alerts.yml");
  }

  private void check(String place, String query) {
    assertThat(query).as(place).isNotBlank();
    assertThat(query.chars().filter(one -> one == '(').count())
        .as("brackets of %s", place)
        .isEqualTo(query.chars().filter(one -> one == ')').count());
    Set<String> known = new TreeSet<>();
    Matcher series = SERIES.matcher(query);
    while (series.find()) {
      String name = series.group(1);
      assertThat(manual.queried()).as(place).contains(name);
      known.addAll(manual.labels(name));
      if (series.group(2) != null) {
        assertThat(manual.labels(name))
            .as("%s: labels of %s", place, name)
            .containsAll(names(MATCHER, series.group(2)));
      }
    }
    for (String group : names(GROUPING, query)) {
      for (String label : group.split(",")) {
        if (!known.isEmpty()) {
          assertThat(known).as("%s: grouping", place).contains(label.strip());
        }
      }
    }
  }

  private static List<String> names(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(found -> found.group(1)).toList();
  }

  private static List<JsonNode> rules() throws IOException {
    List<JsonNode> rules = new ArrayList<>();
    yaml("prometheus/millrace-alerts.yml")
        .path("groups")
        .forEach(group -> group.path("rules").forEach(rules::add));
    return rules;
  }

  private static JsonNode yaml(String file) throws IOException {
    List<String> problems = new ArrayList<>();
    JsonNode content =
        YamlReader.typed(file, Files.readString(CONF.resolve(file)), problems).content();
    assertThat(problems).isEmpty();
    return content;
  }
}
