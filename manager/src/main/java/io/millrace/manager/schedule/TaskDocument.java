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
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The definition of a task, built key by key. Used by one thread. */
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

  /** Mails failures; the address is passed as an argument. */
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

  /**
   * Generates unique names of tasks from the programs that their commands run. Used by one thread.
   */
  static final class TaskNames {
    private static final int LONGEST = 50;

    /** Commands that wrap another, with the number of their plain arguments. */
    private static final Map<String, Integer> WRAPPERS =
        Map.ofEntries(
            Map.entry("env", 0),
            Map.entry("exec", 0),
            Map.entry("nice", 0),
            Map.entry("ionice", 0),
            Map.entry("nohup", 0),
            Map.entry("sudo", 0),
            Map.entry("time", 0),
            Map.entry("flock", 1),
            Map.entry("timeout", 1),
            Map.entry("sh", 0),
            Map.entry("bash", 0),
            Map.entry("python", 0),
            Map.entry("python3", 0),
            Map.entry("perl", 0),
            Map.entry("php", 0),
            Map.entry("ruby", 0),
            Map.entry("node", 0));

    /** Neither an option nor a variable. */
    private static final Pattern PLAIN = Pattern.compile("[^-=][^=]*");

    private static final Set<String> PREPARATIONS =
        Set.of("cd", "test", "[", "export", "sleep", "set", ".", "source", "umask", "command");

    private final Set<String> taken = new HashSet<>();

    /** A name that is not in use yet. */
    String of(String command) {
      List<String> parts = List.of(command.split("&&|\\|\\||[;|]", -1));
      String base =
          programs(parts, PREPARATIONS)
              .findFirst()
              // The command consists of preparations: the last one is what it is for.
              .or(() -> programs(parts, Set.of()).reduce((one, next) -> next))
              .orElse("task");
      String name = base;
      for (int number = 2; !taken.add(name); number++) {
        name = base + "-" + number;
      }
      return name;
    }

    private static Stream<String> programs(List<String> parts, Set<String> preparations) {
      return parts.stream().map(part -> program(part, preparations)).flatMap(Optional::stream);
    }

    private static Optional<String> program(String part, Set<String> preparations) {
      int toSkip = 0;
      for (String word : part.strip().split("\\s+", -1)) {
        String last = word.substring(word.lastIndexOf('/') + 1);
        if (preparations.contains(last)) {
          return Optional.empty();
        }
        if (WRAPPERS.containsKey(last)) {
          toSkip = WRAPPERS.get(last);
        } else if (PLAIN.matcher(word).matches()) {
          if (toSkip == 0) {
            return slug(last);
          }
          toSkip--;
        }
      }
      return Optional.empty();
    }

    private static Optional<String> slug(String word) {
      String slug =
          word.toLowerCase(Locale.ROOT)
              .replaceFirst("\\.(sh|py|pl|php|rb|js|jar)$", "")
              .replaceAll("[^a-z0-9._-]+", "-")
              .replaceAll("^[._-]+|[._-]+$", "");
      return slug.isEmpty()
          ? Optional.empty()
          : Optional.of(slug.substring(0, Math.min(LONGEST, slug.length())));
    }
  }
}
