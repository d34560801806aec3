package io.millrace.tests.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.job.JobSpec;
import io.millrace.api.queue.PacingDefinition.ThresholdDefinition;
import io.millrace.api.queue.QueueDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The tables of keys in docs/quickstart.md and docs/jobs.md state the defaults of the records. */
class DocumentedDefaultsTest {
  private static final String HEADING = "| key | default | meaning |";
  private static final Pattern KEY = Pattern.compile("`([\\w.]+)`");

  /** Defaults that are documented in words, with the value that the record has. */
  private static final Map<String, String> WORDS =
      Map.of(
          "upperLimit", "250",
          "10 batches", "0",
          "none", "",
          "none; 5m for workers of queues", "",
          "12 ticks", "12");

  /** Keys whose default is chosen by the server or the node, so that the record has none. */
  private static final List<String> CHOSEN_LATER =
      List.of("cwd", "runAs", "cpu", "memory", "requires", "rank");

  @Test
  void theTableOfQueueKeysStatesTheDefaults() throws IOException {
    QueueDefinition definition =
        Json.read(
            "{\"name\":\"q\",\"pacing\":{\"policy\":\"threshold\",\"threshold\":{}},"
                + "\"source\":{\"waiting\":[\"count\"]},"
                + "\"worker\":{\"command\":[\"cat\"],\"input\":\"none\"}}",
            QueueDefinition.class);
    JsonNode queue = Json.mapper().valueToTree(definition);
    JsonNode lingering =
        Json.mapper()
            .valueToTree(
                Json.read(
                    "{\"name\":\"q\",\"worker\":{\"command\":[\"cat\"],\"input\":\"pull\","
                        + "\"model\":\"linger\"}}",
                    QueueDefinition.class));
    JsonNode sessions =
        Json.mapper()
            .valueToTree(
                Json.read("{\"name\":\"q\",\"sessions\":{\"key\":\"k\"}}", QueueDefinition.class));
    Map<String, String> table = table("docs/quickstart.md");
    Map<String, String> stated = new LinkedHashMap<>(table);
    // The policy and the input are those of the examples, and a queue with a source has no input.
    stated.remove("name");
    stated.remove("pacing.policy");
    stated.remove("worker.command");
    stated.remove("source.waiting");
    stated.remove("sessions.key");
    stated.remove("worker.input");
    // Keys that are those of a job, whose defaults the table of jobs states.
    for (String key : table("docs/jobs.md").keySet()) {
      stated.remove("worker." + key);
    }
    Map<String, String> actual = new LinkedHashMap<>();
    for (String key : stated.keySet()) {
      JsonNode example = key.startsWith("sessions.") ? sessions : queue;
      actual.put(key, value(key.startsWith("worker.linger") ? lingering : example, key));
    }
    // These are stated in ticks.
    Duration tick = definition.pacing().tick();
    ThresholdDefinition threshold = definition.pacing().thresholdInForce();
    actual.put(
        "pacing.threshold.readEvery", Long.toString(threshold.readEvery(tick).dividedBy(tick)));
    actual.put(
        "pacing.threshold.evaluateEvery",
        Long.toString(threshold.evaluateEvery(tick).dividedBy(tick)));
    assertThat(actual).isEqualTo(stated);
    assertThat(definition.worker().timeout()).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void theTableOfQueueKeysListsEveryKeyThatHasADefault() throws IOException {
    JsonNode queue =
        Json.mapper().valueToTree(Json.read("{\"name\":\"q\"}", QueueDefinition.class));
    TreeSet<String> keys = new TreeSet<>();
    collect("", queue, keys);
    assertThat(table("docs/quickstart.md").keySet()).containsAll(keys);
  }

  @Test
  void theTableOfJobKeysStatesTheDefaults() throws IOException {
    JsonNode job = Json.mapper().valueToTree(Json.read("{\"command\":[\"true\"]}", JobSpec.class));
    Map<String, String> stated = new LinkedHashMap<>(table("docs/jobs.md"));
    stated.remove("command");
    stated.keySet().removeAll(CHOSEN_LATER);
    Map<String, String> actual = new LinkedHashMap<>();
    stated.keySet().forEach(key -> actual.put(key, value(job, key)));
    assertThat(actual).isEqualTo(stated);
    CHOSEN_LATER.forEach(key -> assertThat(value(job, key)).as(key).isEmpty());
  }

  private static void collect(String prefix, JsonNode json, TreeSet<String> keys) {
    json.properties()
        .forEach(
            field -> {
              String key = prefix + field.getKey();
              if (field.getValue().isObject()) {
                collect(key + ".", field.getValue(), keys);
              } else {
                keys.add(key);
              }
            });
  }

  /** The value of a key; empty if it has none. Whole numbers are written without a fraction. */
  private static String value(JsonNode json, String key) {
    JsonNode node = json.at("/" + key.replace('.', '/'));
    return node.isContainerNode() ? "" : node.asText().replaceAll("\\.0$", "");
  }

  /** Each key of the first table of a page with its default; several keys may share a row. */
  private static Map<String, String> table(String page) throws IOException {
    List<String> lines = Files.readAllLines(SourceTree.root().resolve(page));
    Map<String, String> table = new LinkedHashMap<>();
    for (String line : lines.subList(lines.indexOf(HEADING) + 2, lines.size())) {
      if (!line.startsWith("|")) {
        break;
      }
      String[] cells = line.split("(?<!\\\\)\\|", 4);
      List<String> keys = keys(cells[1]);
      List<String> defaults = List.of(cells[2].strip().split(", | and ", -1));
      for (int i = 0; i < keys.size(); i++) {
        String stated = defaults.size() == keys.size() ? defaults.get(i) : cells[2];
        String word = stated.strip();
        table.put(keys.get(i), WORDS.getOrDefault(word, word));
      }
    }
    return table;
  }

  /** The keys of a cell; those after the first have the same parent. */
  private static List<String> keys(String cell) {
    List<String> keys = new ArrayList<>();
    Matcher key = KEY.matcher(cell);
    String parent = "";
    while (key.find()) {
      String name = key.group(1);
      if (keys.isEmpty()) {
        parent = name.substring(0, name.lastIndexOf('.') + 1);
      }
      keys.add(keys.isEmpty() ? name : parent + name);
    }
    return keys;
  }
}
