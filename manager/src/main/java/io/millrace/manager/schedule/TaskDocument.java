package io.millrace.manager.schedule;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.task.TaskDefinition;
import java.util.List;
import java.util.Map;

/** The definition of a task that is written key by key. Used by one thread. */
final class TaskDocument {
  private static final JsonMapper JSON =
      Json.mapper().rebuild().enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS).build();

  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .build();

  /** Mails what failed; the address stays out of the script. */
  private static final String MAIL =
      "echo \"$MILLRACE_NOTIFY_REASON\""
          + " | mail -s \"$MILLRACE_NOTIFY_NAME: $MILLRACE_NOTIFY_STATE\" \"$0\"";

  private final ObjectNode fields = JsonNodeFactory.instance.objectNode();

  TaskDocument(String name, String description) {
    fields.put("name", name);
    if (!description.isEmpty()) {
      fields.put("description", description);
    }
  }

  void schedule(String cron, String zone) {
    ObjectNode schedule = fields.putObject("schedule").put("cron", cron);
    if (!zone.equals("UTC")) {
      schedule.put("zone", zone);
    }
    schedule.put("catchUp", "none");
  }

  void jitter(String span) {
    ((ObjectNode) fields.get("schedule")).put("jitter", span);
  }

  void command(String shell, String script) {
    job().putArray("command").add(shell).add("-c").add(script);
  }

  void user(String user) {
    job().put("runAs", user);
  }

  void directory(String home) {
    job().put("cwd", home);
  }

  void environment(Map<String, String> environment) {
    if (!environment.isEmpty()) {
      ObjectNode variables = job().putObject("env");
      environment.forEach(variables::put);
    }
  }

  void mail(String address) {
    job().putObject("notify").putArray("command").add("sh").add("-c").add(MAIL).add(address);
  }

  private ObjectNode job() {
    return fields.has("job") ? (ObjectNode) fields.get("job") : fields.putObject("job");
  }

  /**
   * The definition.
   *
   * @throws MillraceException INVALID_DEFINITION if a value is refused
   */
  TaskDefinition definition() {
    try {
      return JSON.treeToValue(fields, TaskDefinition.class);
    } catch (JsonProcessingException e) {
      if (e.getCause() instanceof MillraceException refusal) {
        throw refusal;
      }
      throw new IllegalStateException("a tree of known keys is always readable", e);
    }
  }

  String yaml(List<String> notes) {
    ObjectNode document = JsonNodeFactory.instance.objectNode().put("kind", "task");
    document.setAll(fields);
    StringBuilder text = new StringBuilder();
    notes.forEach(note -> text.append("# ").append(note).append('\n'));
    try {
      return text + YAML.writeValueAsString(document);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of text is always writable", e);
    }
  }
}
