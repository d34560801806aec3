package io.millrace.cli.migration;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.DataSize;
import io.millrace.api.Json;
import io.millrace.cli.migration.WfTasks.WfTask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A workflow of WfCommons in WfFormat 1.5 (JSON): its graph and the execution that was recorded. Is
 * read as a stream, task by task. Used once, by one thread.
 */
public final class WfFormatFile {
  static final DataSize LARGEST = new DataSize(1L << 30);
  private static final String VERSION = "1.5";
  private static final int LONGEST_TEXT = 1 << 20;
  private static final int MAX_DEPTH = 100;
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxStringLength(LONGEST_TEXT)
                  .maxNestingDepth(MAX_DEPTH)
                  .build())
          .build();

  private final ImportFindings findings;
  private final Double factor;
  private final WfTasks tasks;
  private String shown;
  private String name;
  private boolean workflow;

  /**
   * A reader.
   *
   * @param factor the commands are replaced by waits of the recorded times multiplied by this; null
   *     to run the recorded commands
   */
  public WfFormatFile(Double factor, ImportFindings findings) {
    this.factor = factor;
    this.findings = findings;
    this.tasks = new WfTasks(findings);
  }

  /** Reads it; what it returns is only complete if the findings have no problems. */
  public ImportedWorkflow read(Path file) {
    shown = file.toString();
    name = file.getFileName().toString().replaceFirst("(?i)\\.json$", "");
    try {
      if (Files.size(file) > LARGEST.bytes()) {
        findings.problem(shown, "is larger than %s; split the workflow", LARGEST);
      } else {
        try (JsonParser json = FACTORY.createParser(file.toFile())) {
          readFile(json);
        }
      }
    } catch (TooManyTasksException e) {
      findings.problem(shown, "more than %d tasks; split the workflow", ImportedWorkflow.MAX_STEPS);
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      findings.problem(shown + ": line " + line, "is not readable as JSON: %s", Json.syntax(e));
    } catch (IOException e) {
      findings.problem(shown, "cannot be read; check its name and permissions");
    }
    Path folder = file.toAbsolutePath().normalize().getParent();
    List<ImportedStep> steps = findings.refused() ? List.of() : tasks.steps(shown, factor, folder);
    ImportedWorkflow read =
        new ImportedWorkflow(StepTemplates.name(name, "workflow"), false, null, steps);
    List<String> cycle = findings.refused() ? List.of() : read.cycle();
    if (!cycle.isEmpty()) {
      findings.problem(
          shown,
          "tasks wait for one another: %s; remove one of these dependencies",
          String.join(" -> ", cycle.subList(0, Math.min(cycle.size(), 20))));
    }
    return read;
  }

  private void readFile(JsonParser json) throws IOException {
    if (json.nextToken() != JsonToken.START_OBJECT) {
      findings.problem(shown, "is not a JSON object; is this a file in WfFormat?");
      return;
    }
    String version = null;
    for (String key = json.nextFieldName(); key != null; key = json.nextFieldName()) {
      json.nextToken();
      switch (key) {
        case "schemaVersion" -> version = json.getText();
        case "workflow" -> section(json, this::readWorkflow);
        case "name" -> name = json.getText();
        default -> json.skipChildren();
      }
    }
    if (version == null || !version.equals(VERSION)) {
      findings.problem(
          shown,
          "schemaVersion is %s; %s is read: convert the file with the tools of WfCommons",
          version == null ? "missing" : version,
          VERSION);
    } else if (!workflow || tasks.isEmpty()) {
      findings.problem(
          shown, "has no workflow.specification.tasks; is this a workflow in WfFormat 1.5?");
    }
  }

  private void readWorkflow(JsonParser json) throws IOException {
    workflow = true;
    for (String key = json.nextFieldName(); key != null; key = json.nextFieldName()) {
      json.nextToken();
      switch (key) {
        case "specification" -> section(json, inner -> readTasks(inner, this::specified));
        case "execution" -> section(json, inner -> readTasks(inner, this::executed));
        default -> json.skipChildren();
      }
    }
  }

  private void readTasks(JsonParser json, TaskReader reader) throws IOException {
    for (String key = json.nextFieldName(); key != null; key = json.nextFieldName()) {
      if (json.nextToken() == JsonToken.START_ARRAY && key.equals("tasks")) {
        while (json.nextToken() == JsonToken.START_OBJECT) {
          String place = shown + ": line " + json.currentLocation().getLineNr();
          JsonNode task = Json.mapper().readTree(json);
          if (task.path("id").isTextual()) {
            reader.read(place + ": task " + task.get("id").asText(), task);
          } else {
            findings.problem(place, "a task has no id; add one");
          }
        }
      } else {
        json.skipChildren();
      }
    }
  }

  private void section(JsonParser json, Section section) throws IOException {
    if (json.currentToken() == JsonToken.START_OBJECT) {
      section.read(json);
    } else {
      json.skipChildren();
    }
  }

  private void specified(String place, JsonNode task) throws IOException {
    String category = task.path("category").asText("");
    WfTask read = tasks.of(task.get("id").asText());
    if (tasks.size() > ImportedWorkflow.MAX_STEPS) {
      throw new TooManyTasksException();
    }
    if (read.place != null) {
      findings.problem(place, "is specified twice; rename one");
    }
    read.place = place;
    read.name = task.path("name").asText(read.id);
    read.category = category;
    read.parents = texts(place, task, "parents");
    read.children = texts(place, task, "children");
  }

  private void executed(String place, JsonNode task) throws IOException {
    WfTask read = tasks.of(task.get("id").asText());
    if (tasks.size() > ImportedWorkflow.MAX_STEPS) {
      throw new TooManyTasksException();
    }
    read.executed = place;
    JsonNode seconds = task.path("runtimeInSeconds");
    if (seconds.isNumber() && seconds.asDouble() >= 0) {
      read.seconds = seconds.asDouble();
    } else if (!seconds.isMissingNode()) {
      findings.problem(place, "runtimeInSeconds is not a number from 0 on");
    }
    read.program = task.path("command").path("program").asText("");
    read.arguments = texts(place, task.path("command"), "arguments");
    read.cores = task.path("coreCount").asDouble(0);
    read.memory = task.path("memoryInBytes").asLong(0);
    read.priority = task.path("priority").asInt(0);
  }

  private List<String> texts(String place, JsonNode task, String key) {
    JsonNode array = task.path(key);
    List<String> texts = new ArrayList<>();
    if (!array.isArray() && !array.isMissingNode() && !array.isNull()) {
      findings.problem(place, "%s is not a list of texts", key);
    }
    for (JsonNode one : array) {
      if (one.isValueNode() && !one.isNull() && one.asText().indexOf('\0') < 0) {
        texts.add(one.asText());
      } else {
        findings.problem(place, "%s contains what is not text", key);
      }
    }
    return List.copyOf(texts);
  }

  private interface Section {
    void read(JsonParser json) throws IOException;
  }

  private interface TaskReader {
    void read(String place, JsonNode task) throws IOException;
  }

  private static final class TooManyTasksException extends IOException {
    private static final long serialVersionUID = 1;
  }
}
