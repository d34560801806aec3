package io.millrace.manager.definition;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.definition.SourceFile;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads definition files of every kind and reports all their problems together. Thread-safe. */
final class DefinitionParser {
  private final DefinitionKinds kinds;

  DefinitionParser(DefinitionKinds kinds) {
    this.kinds = kinds;
  }

  /**
   * Reads every document of every file.
   *
   * @throws MillraceException INVALID_DEFINITION with one line for each problem of all files
   */
  List<DefinitionText> parse(List<SourceFile> files) {
    List<String> problems = new ArrayList<>();
    List<DefinitionText> definitions = new ArrayList<>();
    Map<String, YamlDocument> seen = new HashMap<>();
    for (SourceFile file : files) {
      for (YamlDocument document : YamlReader.read(file, problems)) {
        read(document, problems)
            .ifPresent(
                definition -> {
                  String identity = definition.kind() + " " + definition.name();
                  YamlDocument first = seen.putIfAbsent(identity, document);
                  if (first != null) {
                    problems.add(
                        document.place("name")
                            + ": "
                            + identity
                            + " is defined in "
                            + first.place("")
                            + " already");
                  }
                  definitions.add(definition);
                });
      }
    }
    if (problems.isEmpty() && definitions.isEmpty()) {
      problems.add("there is no definition in " + files.stream().map(SourceFile::name).toList());
    }
    if (!problems.isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID_DEFINITION,
          "nothing was changed; mend these and apply again:\n" + String.join("\n", problems));
    }
    return definitions;
  }

  private Optional<DefinitionText> read(YamlDocument document, List<String> problems) {
    if (!(document.content() instanceof ObjectNode content)) {
      problems.add(document.place("") + ": wants keys with values, first of all 'kind:'");
      return Optional.empty();
    }
    JsonNode word = content.get("kind");
    Optional<DefinitionKind<?>> kind =
        Optional.ofNullable(word).flatMap(text -> kinds.find(text.asText()));
    if (kind.isEmpty()) {
      problems.add(
          word == null
              ? document.place("") + ": 'kind:' is missing; write one of " + kinds.words()
              : document.place("kind")
                  + ": '"
                  + word.asText()
                  + "' is no kind; write one of "
                  + kinds.words());
      return Optional.empty();
    }
    ObjectNode fields = content.deepCopy();
    fields.remove("kind");
    return read(kind.get(), document, fields, problems);
  }

  private static <T> Optional<DefinitionText> read(
      DefinitionKind<T> kind, YamlDocument document, ObjectNode fields, List<String> problems) {
    Optional<T> definition =
        new RecordReader(document, problems).read(fields, kind.type(), kind.minimal());
    definition.ifPresent(
        one ->
            kind.problems(one).forEach(words -> problems.add(document.place("") + ": " + words)));
    return definition.map(one -> DefinitionText.of(kind, one));
  }
}
