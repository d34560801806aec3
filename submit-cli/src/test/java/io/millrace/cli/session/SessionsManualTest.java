package io.millrace.cli.session;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.Json;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the manual of sessions shows is so: its definitions, its defaults, its messages. */
class SessionsManualTest {
  private static final Path MANUAL = Path.of("..", "docs", "sessions.md");
  private static final Pattern YAML = Pattern.compile("(?s)```yaml\\n(.*?)```");
  private static final Pattern FIELD =
      Pattern.compile("(?m)^\\| `([a-zA-Z]+)` \\| (`[^`]*`|[a-z]*|) ?\\|");
  private static final Pattern MESSAGE =
      Pattern.compile("(?m)^    \\{\"(?:incarnation|poll)\"(?:.*\\n(?:     .*\\n)*)");

  @TempDir private Path folder;

  @Test
  void everyDefinitionIsAccepted() throws IOException {
    List<String> files = YAML.matcher(manual()).results().map(found -> found.group(1)).toList();
    assertThat(files).isNotEmpty();
    for (String text : files) {
      CommandRun run = new CommandRun(new FakeCluster());
      Path file = Files.writeString(folder.resolve("queue.yaml"), text);
      assertThat(run.run("check", file.toString())).as(run.messages()).isZero();
    }
  }

  @Test
  void theTableOfFieldsIsCompleteAndHasTheDefaults() throws IOException {
    Map<String, String> documented = new TreeMap<>();
    Matcher row = FIELD.matcher(manual());
    while (row.find()) {
      documented.put(row.group(1), row.group(2).replace("`", ""));
    }
    List<String> fields =
        Arrays.stream(SessionDefinition.class.getRecordComponents())
            .map(component -> component.getName())
            .toList();
    assertThat(documented.keySet()).containsExactlyInAnyOrderElementsOf(fields);

    ObjectNode defined = Json.mapper().valueToTree(SessionDefinition.of("key"));
    List<String> wrong = new ArrayList<>();
    for (String field : fields) {
      JsonNode value = defined.get(field);
      String shown = documented.get(field);
      boolean none = value == null || value.isNull();
      if (field.equals("key") || none ? shown.matches("\\d.*") : !shown.equals(value.asText())) {
        wrong.add(field + ": " + shown + " but is " + value);
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void theMessagesOfTheProtocolAreOnes() throws IOException {
    List<String> messages =
        MESSAGE
            .matcher(manual())
            .results()
            .map(
                found ->
                    found
                        .group()
                        .replace(",…", "")
                        .replace("0d6c…", "00000000-0000-4000-8000-00000000d6c1"))
            .toList();
    assertThat(messages).hasSize(2);

    SessionPoll poll = Json.read(messages.get(0), SessionPoll.class);
    assertThat(poll.results()).hasSize(2);
    assertThat(Json.read(Json.write(poll), JsonNode.class))
        .as("nothing is ignored")
        .isEqualTo(Json.read(messages.get(0), JsonNode.class));
    PollAnswered answer = Json.read(messages.get(1), PollAnswered.class);
    assertThat(answer.sessions().get(0).events()).hasSize(1);
    assertThat(Json.read(Json.write(answer), JsonNode.class))
        .as("nothing is ignored")
        .isEqualTo(Json.read(messages.get(1), JsonNode.class));
  }

  @Test
  void theJavaExampleCompiles() throws IOException {
    String code =
        Pattern.compile("(?s)```java\\n(.*?)```")
            .matcher(manual())
            .results()
            .map(found -> found.group(1))
            .findFirst()
            .orElseThrow();
    String imports = code.lines().filter(line -> line.startsWith("import")).collect(joining("\n"));
    String rest = code.lines().filter(line -> !line.startsWith("import")).collect(joining("\n"));
    Path source =
        Files.writeString(
            folder.resolve("Example.java"),
            imports + "\nclass Example { void run() throws Exception {" + rest + "} }");
    ByteArrayOutputStream problems = new ByteArrayOutputStream();
    int exit =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                problems,
                "-proc:none",
                "-d",
                folder.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                source.toString());
    assertThat(exit).as(problems.toString(StandardCharsets.UTF_8)).isZero();
  }

  private static String manual() throws IOException {
    return Files.readString(MANUAL);
  }
}
