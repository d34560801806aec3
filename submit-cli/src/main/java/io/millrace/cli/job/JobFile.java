package io.millrace.cli.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobSpec;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.platform.document.DocumentBinder;
import io.millrace.platform.document.DocumentBinder.Binding;
import io.millrace.platform.document.YamlReader;
import io.millrace.platform.document.YamlReader.YamlDocument;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A file with the specification of a job as the API takes it, YAML or JSON; all problems are
 * reported at once.
 */
final class JobFile {
  private static final String OPTION = "--file";
  private static final String KIND = "kind";
  private static final String KIND_OF_JOBS = "job";
  private static final String NO_KEYS =
      ": it contains no 'key: value' lines, such as 'command: [ls, -l]'";

  /** As definition files are read: the same file can be applied. */
  private static final DocumentBinder BINDER =
      DocumentBinder.ofFiles(
          Json.mapper().rebuild().enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS).build());

  private static final ObjectReader JSON =
      Json.mapper().reader().with(StreamReadFeature.STRICT_DUPLICATE_DETECTION);

  private final Path path;
  private final InputStream standardInput;

  /** The path {@code -} means standard input. */
  JobFile(Path path, InputStream standardInput) {
    this.path = path;
    this.standardInput = standardInput;
  }

  /**
   * Reads it.
   *
   * @param command replaces the command of the file; empty to keep it
   * @throws MillraceException INVALID_REQUEST naming the file, the key and the solution
   */
  JobSpec read(List<String> command) {
    YamlDocument document = document();
    OptionRefusal.unless(document.content() instanceof ObjectNode, OPTION, path + NO_KEYS);
    ObjectNode tree = document.content().deepCopy();
    // The same file can be applied.
    if (tree.path(KIND).asText().equals(KIND_OF_JOBS)) {
      tree.remove(KIND);
    }
    if (!command.isEmpty()) {
      tree.remove("program");
      tree.remove("arguments");
      ArrayNode array = tree.putArray("command");
      command.forEach(array::add);
    }
    OptionRefusal.unless(
        tree.has("command") || tree.has("program"),
        OPTION,
        path + " has no command; add 'command: [PROGRAM, ARGUMENT]' or specify it after --");
    Binding<JobSpec> binding = BINDER.bind(tree, JobSpec.class);
    return binding
        .value()
        .orElseThrow(
            () ->
                OptionRefusal.of(
                    OPTION,
                    binding.problems().stream()
                        .map(problem -> document.place(problem.path()) + ": " + problem.text())
                        .collect(Collectors.joining("\n"))));
  }

  private YamlDocument document() {
    String text = text();
    if (text.stripLeading().startsWith("{")) {
      try {
        return new YamlDocument(path.toString(), 0, JSON.readTree(text), Map.of());
      } catch (JsonProcessingException e) {
        int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
        throw OptionRefusal.of(OPTION, path + ": line " + line + ": " + Json.syntax(e));
      }
    }
    List<String> unreadable = new ArrayList<>();
    YamlDocument document = YamlReader.typed(path.toString(), text, unreadable);
    OptionRefusal.unless(unreadable.isEmpty(), OPTION, String.join("\n", unreadable));
    OptionRefusal.unless(!document.lines().isEmpty(), OPTION, path + NO_KEYS);
    return document;
  }

  private String text() {
    try {
      byte[] bytes =
          path.toString().equals("-") ? standardInput.readAllBytes() : Files.readAllBytes(path);
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw OptionRefusal.of(OPTION, "cannot read file " + path);
    }
  }

  /** Values of a file, extended or replaced by those of options. Pure. */
  static final class Merged {
    private Merged() {}

    static <T> List<T> of(List<T> file, List<T> options) {
      List<T> all = new ArrayList<>(file);
      options.stream().filter(option -> !all.contains(option)).forEach(all::add);
      return all;
    }

    static <V> Map<String, V> of(Map<String, V> file, Map<String, V> options) {
      Map<String, V> all = new LinkedHashMap<>(file);
      all.putAll(options);
      return all;
    }

    /** The option if it was given. */
    static <T> T of(T file, T option) {
      return option == null ? file : option;
    }
  }
}
