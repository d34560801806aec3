package io.millrace.cli.definition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.invocation.Refusal;
import io.millrace.manager.app.KnownKinds;
import io.millrace.manager.definition.DefinitionParser;
import io.millrace.manager.definition.DefinitionParser.DefinitionReading;
import io.millrace.manager.definition.DefinitionText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/** The file that a trial takes its definition from. */
final class TrialFile {
  private final Path file;
  private final InputStream standardInput;

  /** The path {@code -} stands for the standard input. */
  TrialFile(Path file, InputStream standardInput) {
    this.file = file;
    this.standardInput = standardInput;
  }

  /**
   * The definition of that kind.
   *
   * @param name null when the file has only one
   * @throws MillraceException INVALID_DEFINITION with all problems; INVALID_REQUEST when it is not
   *     there, or not the only one
   */
  <T> T definition(String kind, String name, Class<T> type) throws IOException {
    DefinitionReading reading =
        new DefinitionParser(KnownKinds.all())
            .read(new DefinitionFiles(standardInput).read(List.of(file)));
    if (!reading.problems().isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID_DEFINITION,
          "nothing was run; mend these first:\n" + String.join("\n", reading.problems()));
    }
    List<DefinitionText> found =
        reading.definitions().stream().filter(one -> one.kind().equals(kind)).toList();
    List<DefinitionText> meant =
        found.stream().filter(one -> name == null || one.name().equals(name)).toList();
    Refusal.unless(
        meant.size() == 1, "NAME", "say which " + kind + " of " + file + ": " + found(found));
    return meant.get(0).as(type);
  }

  private static String found(List<DefinitionText> definitions) {
    return definitions.isEmpty()
        ? "it has none"
        : String.join(", ", definitions.stream().map(DefinitionText::name).toList());
  }
}
