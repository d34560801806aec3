package io.millrace.cli.job;

import io.millrace.api.job.JobSpec;
import io.millrace.cli.invocation.Converters;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.job.JobFile.Merged;
import io.millrace.cli.migration.ScriptDirectives;
import io.millrace.cli.output.Escaping;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * A script that is submitted: directives of other schedulers, then those of Millrace, then the
 * options of the command, of which the later ones count. Used once.
 */
final class ScriptSubmission {
  private final Invocation invocation;
  private final Path file;
  private final List<String> right = new ArrayList<>();

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
            file,
            invocation.environment(),
            invocation.now(),
            ZoneId.systemDefault(),
            this::problem);
    // Together with what is refused, if anything is.
    directives.findings().notes().forEach(note -> invocation.note(Escaping.text(note)));
    JobSpec base = directives.job(arguments);
    SubmitCommand own = new SubmitCommand(invocation);
    read(own, directives.options());
    JobSpec job = options.applied(own.applied(base));
    return job.draft().env(Merged.of(directives.variables(job), job.env())).spec();
  }

  // A line is read together with the right ones before it, so that the message can name it.
  private Optional<String> problem(List<String> line) {
    List<String> words = new ArrayList<>(right);
    words.addAll(line);
    SubmitCommand read = new SubmitCommand(invocation);
    Optional<String> problem;
    try {
      read(read, words);
      problem =
          read.notOfJobs().stream()
              .findFirst()
              .map(
                  wrong ->
                      "'" + wrong + "' is not possible in a script; use it on the command line");
    } catch (ParameterException e) {
      problem = Optional.of(e.getMessage());
    }
    if (problem.isEmpty()) {
      right.addAll(line);
    }
    return problem;
  }

  private void read(SubmitCommand own, List<String> words) {
    Converters.register(new CommandLine(own), invocation.clock())
        .setCaseInsensitiveEnumValuesAllowed(true)
        // A script does not read files of whoever submits it.
        .setExpandAtFiles(false)
        .parseArgs(words.toArray(String[]::new));
  }
}
