package io.millrace.cli.definition;

import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.FieldList;
import io.millrace.manager.app.KnownKinds;
import io.millrace.manager.definition.DefinitionParser;
import io.millrace.manager.definition.DefinitionParser.DefinitionReading;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * One check of files, with the parser that applying uses. Apart from the command, because the
 * parser of arguments looks at a command's methods, and only the servers' class path has it.
 */
final class CheckRun {
  private final Invocation invocation;

  CheckRun(Invocation invocation) {
    this.invocation = invocation;
  }

  /**
   * What a check found.
   *
   * @param definitions those that are right
   * @param problems of all the others
   */
  record Findings(List<Meaning> definitions, List<String> problems) {}

  int run(List<Path> paths) throws IOException {
    DefinitionReading reading =
        new DefinitionParser(KnownKinds.all())
            .read(new DefinitionFiles(invocation.terminal().in()).read(paths));
    Meanings meanings = new Meanings(invocation.now());
    Findings findings =
        new Findings(reading.definitions().stream().map(meanings::of).toList(), reading.problems());
    invocation.answer(findings, () -> print(findings));
    return (findings.problems().isEmpty() ? ExitCode.OK : ExitCode.FAILED).code();
  }

  private void print(Findings findings) {
    findings.definitions().forEach(this::print);
    findings
        .problems()
        .forEach(problem -> invocation.terminal().note("error: " + Escaping.text(problem)));
    invocation
        .terminal()
        .note(
            findings.problems().isEmpty()
                ? findings.definitions().size() + " right, nothing wrong"
                : findings.definitions().size()
                    + " right; problems: "
                    + findings.problems().size());
  }

  private void print(Meaning meaning) {
    FieldList sheet = new FieldList(invocation.palette());
    sheet.title(meaning.kind() + " " + meaning.name());
    sheet.value("in", meaning.place());
    meaning.words().forEach(sheet::value);
    for (int i = 0; i < meaning.next().size(); i++) {
      sheet.value(i == 0 ? "next" : "", meaning.next().get(i));
    }
    invocation.terminal().lines(sheet.lines());
  }
}
