package io.millrace.cli.job;

import io.millrace.api.job.JobSpec;
import io.millrace.cli.invocation.Converters;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.job.JobFile.Merged;
import io.millrace.cli.migration.ScriptDirectives;
import io.millrace.cli.migration.ScriptDirectives.DirectiveLine;
import io.millrace.cli.output.Escaping;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * A script that is submitted: directives of other schedulers, then those of Millrace, then the
 * options of the command, of which the later ones count.
 */
final class ScriptSubmission {
  private final Invocation invocation;
  private final Path file;

  ScriptSubmission(Invocation invocation, Path file) {
    this.invocation = invocation;
    this.file = file;
  }

  /**
   * The job.
   *
   * @param arguments of the script
   * @param options of the command
   */
  JobSpec spec(List<String> arguments, SubmitCommand options) {
    ScriptDirectives directives =
        new ScriptDirectives(
            file, invocation.environment(), invocation.now(), ZoneId.systemDefault());
    SubmitCommand own = new SubmitCommand(invocation);
    List<String> problems = parse(own, directives.options());
    OptionRefusal.unless(problems.isEmpty(), "--script", String.join("\n", problems));
    JobSpec base = directives.job(arguments);
    directives.findings().notes().forEach(note -> invocation.note(Escaping.text(note)));
    JobSpec job = options.applied(own.applied(base));
    return job.draft().env(Merged.of(directives.variables(job), job.env())).spec();
  }

  private List<String> parse(SubmitCommand own, List<DirectiveLine> lines) {
    List<String> problems = new ArrayList<>();
    for (DirectiveLine line : lines) {
      // By itself, so that the message can name the line.
      SubmitCommand alone = new SubmitCommand(invocation);
      try {
        read(alone, line.words());
        List<String> wrong = alone.notOfJobs();
        if (!wrong.isEmpty()) {
          problems.add(
              line.place()
                  + ": '"
                  + wrong.get(0)
                  + "' is not possible in a script; use it on the"
                  + " command line");
        }
      } catch (ParameterException e) {
        problems.add(line.place() + ": " + e.getMessage());
      }
    }
    if (problems.isEmpty()) {
      read(own, lines.stream().flatMap(line -> line.words().stream()).toList());
    }
    return problems;
  }

  private void read(SubmitCommand own, List<String> words) {
    Converters.register(new CommandLine(own), invocation.clock())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .parseArgs(words.toArray(String[]::new));
  }
}
