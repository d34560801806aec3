package io.millrace.cli.job;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.job.JobFile.Merged;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** Options about the process. Set by the parser. */
final class ProcessOptions {
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Name of the job (default: name of the program).")
  private String name;

  @Option(names = "--tag", paramLabel = "WORD", description = "Tag to search for; may be repeated.")
  private final List<String> tags = new ArrayList<>();

  @Option(
      names = "--env",
      paramLabel = "K=V",
      description = "Environment variable; may be repeated.")
  private final Map<String, String> env = new LinkedHashMap<>();

  @Option(
      names = "--env-file",
      paramLabel = "FILE",
      description = "File with NAME=value lines on the execution node, read at each start.")
  private Path envFile;

  @Option(
      names = "--secret",
      paramLabel = "NAME=FILE",
      description =
          "Environment variable with the content of a file in the node's secrets directory.")
  private final Map<String, String> secrets = new LinkedHashMap<>();

  @Option(
      names = "--cwd",
      paramLabel = "DIR",
      description = "Working directory (default: a new, empty directory).")
  private Path cwd;

  @Option(names = "--run-as", paramLabel = "USER", description = "User to run the job as.")
  private String runAs;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "Maximum run time, such as 30s or 5m; then TERM, and KILL after --grace.")
  private Duration timeout;

  @Option(
      names = "--grace",
      paramLabel = "TIME",
      description = "Time between TERM and KILL (default: 10s).")
  private Duration grace;

  void apply(JobSpec base, JobDraft draft) {
    check();
    if (name != null) {
      draft.name(name);
    }
    if (cwd != null) {
      draft.cwd(cwd.toAbsolutePath().normalize().toString());
    }
    if (envFile != null) {
      draft.envFile(envFile.toString());
    }
    if (runAs != null) {
      draft.runAs(runAs);
    }
    if (timeout != null) {
      draft.timeout(timeout);
    }
    if (grace != null) {
      draft.grace(grace);
    }
    draft.tags(Merged.of(base.tags(), tags));
    draft.env(Merged.of(base.env(), env));
    draft.secrets(Merged.of(base.secrets(), secrets));
  }

  private void check() {
    OptionRefusal.unless(name == null || !name.isBlank(), "--name", "specify a name");
    OptionRefusal.unless(
        runAs == null || !runAs.isBlank(), "--run-as", "specify the name of a user");
    OptionRefusal.unless(
        timeout == null || !(timeout.isZero() || timeout.isNegative()),
        "--timeout",
        "use a duration above 0");
    OptionRefusal.unless(
        grace == null || (!grace.isNegative() && grace.compareTo(Duration.ofHours(1)) <= 0),
        "--grace",
        "use 0s to 1h");
    OptionRefusal.unless(
        envFile == null || envFile.isAbsolute(),
        "--env-file",
        "'%s' is relative; use the absolute path on the execution node".formatted(envFile));
    tags.forEach(tag -> checkTag(tag));
    env.keySet().forEach(variable -> checkVariable("--env", variable));
    secrets.forEach(ProcessOptions::checkSecret);
    env.keySet().forEach(variable -> checkOnce(variable));
  }

  private static void checkTag(String tag) {
    OptionRefusal.unless(
        !tag.isBlank() && tag.chars().noneMatch(Character::isWhitespace),
        "--tag",
        "'%s' contains spaces; repeat --tag for several tags".formatted(tag));
  }

  private static void checkVariable(String option, String variable) {
    OptionRefusal.unless(
        VARIABLE.matcher(variable).matches(),
        option,
        "'%s' is not a variable name; use letters, digits and _".formatted(variable));
  }

  private static void checkSecret(String variable, String file) {
    checkVariable("--secret", variable);
    OptionRefusal.unless(
        !file.isBlank() && !file.contains("/") && !file.equals(".."),
        "--secret",
        ("'%s' is not a file name; use the name of a file in the node's secrets directory,"
                + " without a path")
            .formatted(file));
  }

  private void checkOnce(String variable) {
    OptionRefusal.unless(
        !secrets.containsKey(variable),
        "--secret",
        "variable %s is also set with --env; use only one".formatted(variable));
  }
}
