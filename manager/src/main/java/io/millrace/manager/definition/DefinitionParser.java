package io.millrace.manager.definition;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.manager.definition.DefinitionKind.DefinitionKinds;
import io.millrace.platform.document.DocumentBinder;
import io.millrace.platform.document.DocumentBinder.Binding;
import io.millrace.platform.document.DocumentBinder.BindingProblem;
import io.millrace.platform.document.YamlReader;
import io.millrace.platform.document.YamlReader.YamlDocument;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Parses definition files of every kind and reports all their problems together. Thread-safe. */
public final class DefinitionParser {
  /** Keys that are left out get their defaults from the record's constructor. */
  private static final DocumentBinder BINDER =
      DocumentBinder.ofFiles(
          Json.mapper()
              .rebuild()
              .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
              .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
              .build());

  // Several versions of a definition are in memory while its history is read.
  private static final int LONGEST = 1_000_000;

  /** Where 5 and "5" differ, because a JSON Schema is written there. */
  private static final String SCHEMA = "sessions.schema";

  private static final String WORKFLOW = "workflow";
  // A name of a file that can be written in a shell as it is.
  private static final Pattern PLAIN_FILE = Pattern.compile("[\\w./][\\w./-]*");

  private final DefinitionKinds kinds;

  public DefinitionParser(DefinitionKinds kinds) {
    this.kinds = kinds;
  }

  /**
   * Reads every document of every file.
   *
   * @throws MillraceException INVALID_DEFINITION with one line for each problem of all files
   */
  List<DefinitionText> parse(List<SourceFile> files) {
    DefinitionReading reading = read(files);
    if (!reading.problems().isEmpty()) {
      throw refused(
          "none of the definitions is accepted until these errors are fixed:", reading.problems());
    }
    return reading.definitions();
  }

  /**
   * Reads the fields of a stored version.
   *
   * @param source what they are, for messages
   * @throws MillraceException INVALID_DEFINITION when they are no longer valid
   */
  DefinitionText parse(String kind, String source, ObjectNode fields) {
    List<String> problems = new ArrayList<>();
    YamlDocument document =
        new YamlDocument(source, 0, fields.deepCopy().put("kind", kind), Map.of());
    Optional<DefinitionText> definition = read(document, problems);
    if (!problems.isEmpty()) {
      throw refused(
          "nothing was changed; this version is no longer valid, so apply a corrected file instead:",
          problems);
    }
    return definition.orElseThrow();
  }

  /** Reads every document of every file; returns the valid definitions and all problems. */
  public DefinitionReading read(List<SourceFile> files) {
    List<String> problems = new ArrayList<>();
    if (files.isEmpty()) {
      problems.add("files: the list is empty; send at least one file with definitions");
    }
    List<DefinitionText> definitions = new ArrayList<>();
    Map<String, YamlDocument> seen = new HashMap<>();
    for (SourceFile file : files) {
      for (YamlDocument document :
          YamlReader.verbatim(file.name(), file.text(), SCHEMA, problems)) {
        int before = problems.size();
        Optional<DefinitionText> definition = read(document, problems);
        boolean sound = problems.size() == before;
        definition.ifPresent(one -> checkFirst(one, document, seen, problems));
        definition.filter(one -> sound).ifPresent(definitions::add);
      }
    }
    if (problems.isEmpty() && definitions.isEmpty()) {
      problems.add(
          files.stream().map(SourceFile::name).collect(Collectors.joining(", "))
              + (files.size() == 1 ? " contains no definitions" : " contain no definitions"));
    }
    return new DefinitionReading(definitions, problems);
  }

  private static void checkFirst(
      DefinitionText definition,
      YamlDocument document,
      Map<String, YamlDocument> seen,
      List<String> problems) {
    String identity = definition.kind() + " " + definition.name();
    YamlDocument first = seen.putIfAbsent(identity, document);
    if (first != null) {
      problems.add(
          "%s: %s is already defined in %s"
              .formatted(document.place("name"), identity, first.place("")));
    }
  }

  private static MillraceException refused(String message, List<String> problems) {
    return new MillraceException(
        ErrorCode.INVALID_DEFINITION, message + "\n" + String.join("\n", problems));
  }

  private Optional<DefinitionText> read(YamlDocument document, List<String> problems) {
    if (!(document.content() instanceof ObjectNode content)) {
      problems.add(document.place("") + ": expected a mapping that begins with 'kind:'");
      return Optional.empty();
    }
    JsonNode kindNode = content.get("kind");
    Optional<DefinitionKind<?>> kind =
        Optional.ofNullable(kindNode).flatMap(text -> kinds.find(text.asText()));
    if (kind.isEmpty()) {
      problems.add(
          kindNode == null
              ? document.place("")
                  + ": 'kind:' is missing; write one of "
                  + String.join(", ", kinds.keywords())
              : document.place("kind") + ": " + unknownKind(document, kindNode.asText()));
      return Optional.empty();
    }
    ObjectNode fields = content.deepCopy();
    fields.remove("kind");
    JsonNode labels = fields.remove(DefinitionLabels.KEY);
    return read(kind.get(), document, fields, labels, problems);
  }

  private String unknownKind(YamlDocument document, String kind) {
    return kind.equals(WORKFLOW)
        ? "a workflow is submitted, not applied: millrace workflow submit -f "
            + (PLAIN_FILE.matcher(document.file()).matches() ? document.file() : "FILE")
            + " (--dry-run checks it)"
        : "'" + kind + "' is not a kind; write one of " + String.join(", ", kinds.keywords());
  }

  private static <T extends Record> Optional<DefinitionText> read(
      DefinitionKind<T> kind,
      YamlDocument document,
      ObjectNode fields,
      JsonNode written,
      List<String> problems) {
    Map<String, String> labels =
        DefinitionLabels.read(
            written, (field, problem) -> problems.add(document.place(field) + ": " + problem));
    for (String key : kind.required()) {
      if (!fields.hasNonNull(key)) {
        problems.add(
            document.place("") + ": " + key + " is missing; kind " + kind.keyword() + " needs it");
      }
    }
    Binding<T> binding = BINDER.bind(fields, kind.type(), kind.minimal());
    for (BindingProblem problem : binding.problems()) {
      problems.add(document.place(problem.path()) + ": " + problem.text());
    }
    if (binding.truncated()) {
      problems.add(document.place("") + ": too many problems; the rest was not checked");
    }
    Optional<T> definition = binding.value();
    definition.ifPresent(
        one -> kind.problems(one).forEach(message -> problems.add(document.violation(message))));
    Optional<DefinitionText> text =
        definition.map(one -> DefinitionText.of(kind, document.place(""), one, labels, fields));
    if (text.filter(one -> one.json().length() > LONGEST).isPresent()) {
      problems.add(
          "%s: longer than %d characters with all defaults; divide it"
              .formatted(document.place(""), LONGEST));
    }
    return text;
  }

  /**
   * The content of definition files.
   *
   * @param definitions the valid definitions
   * @param problems all problems, each with its file, document, field and line
   */
  public record DefinitionReading(List<DefinitionText> definitions, List<String> problems) {
    public DefinitionReading {
      definitions = List.copyOf(definitions);
      problems = List.copyOf(problems);
    }
  }
}
