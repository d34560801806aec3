package io.millrace.cli.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.ShownText;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.platform.document.YamlReader;
import io.millrace.platform.document.YamlReader.YamlDocument;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A file with requests for the templates of a workflow, as {@code workflow resources --as-yaml}
 * prints them; they replace those of the workflow's own file.
 */
final class ResourcesFile {
  private static final String OPTION = "--resources";
  private static final String TEMPLATES = "templates";
  private static final String JOB = "job";
  private static final Set<String> KEYS = Set.of("memory", "timeout", "cpu");
  private static final int LARGEST = 3 << 20;

  private final Path path;

  ResourcesFile(Path path) {
    this.path = path;
  }

  /** Replaces the requests of a workflow that has been read; its values are checked with it. */
  void apply(ObjectNode workflow) {
    YamlDocument document = document();
    JsonNode given = document.content().path(TEMPLATES);
    OptionRefusal.unless(
        document.content().size() == 1 && given.isObject(),
        OPTION,
        path + ": expected only the key 'templates', as 'workflow resources --as-yaml' prints it");
    OptionRefusal.unless(
        given.size() <= WorkflowSpec.MAX_TEMPLATES,
        OPTION,
        path + ": more than " + WorkflowSpec.MAX_TEMPLATES + " templates");
    for (Map.Entry<String, JsonNode> template : given.properties()) {
      String place = document.place(TEMPLATES + "." + template.getKey());
      OptionRefusal.unless(
          workflow.path(TEMPLATES).path(template.getKey()).get(JOB) instanceof ObjectNode,
          OPTION,
          "%s: the workflow has no template '%s' with a job"
              .formatted(place, ShownText.of(template.getKey())));
      JsonNode job = template.getValue().path(JOB);
      OptionRefusal.unless(
          template.getValue().size() == 1 && job.isObject(),
          OPTION,
          place + ": write only 'job' with memory, timeout or cpu");
      for (Map.Entry<String, JsonNode> request : job.properties()) {
        OptionRefusal.unless(
            KEYS.contains(request.getKey()),
            OPTION,
            "%s: '%s' is not replaced; use memory, timeout and cpu"
                .formatted(place, ShownText.of(request.getKey())));
        ((ObjectNode) workflow.path(TEMPLATES).path(template.getKey()).path(JOB))
            .set(request.getKey(), request.getValue());
      }
    }
  }

  private YamlDocument document() {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(path)) {
      bytes = in.readNBytes(LARGEST + 1);
    } catch (IOException e) {
      throw OptionRefusal.of(OPTION, "cannot read file " + path);
    }
    OptionRefusal.unless(bytes.length <= LARGEST, OPTION, path + " is larger than 3MB");
    List<String> unreadable = new ArrayList<>();
    List<YamlDocument> documents =
        YamlReader.verbatim(path.toString(), new String(bytes, StandardCharsets.UTF_8), unreadable);
    OptionRefusal.unless(unreadable.isEmpty(), OPTION, String.join("\n", unreadable));
    OptionRefusal.unless(
        documents.size() == 1, OPTION, path + ": expected one document with the key 'templates'");
    return documents.get(0);
  }
}
