package io.millrace.cli.job;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.cli.invocation.Refusal;
import io.millrace.cli.job.JobFile.Merged;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** Options about the process itself. Filled by the parser. */
final class ProcessOptions {
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  @Option(names = "--name", description = "Name of the job (default: name of the program).")
  private String name;

  @Option(
      names = "--tag",
      paramLabel = "WORD",
      description = "Tag to search for; may be repeated.")
  private final List<String> tags = new ArrayList<>();

  @Option(names = "--env", paramLabel = "K=V", description = "Environment variable; may be repeated.")
  private final Map<String, String> env = new LinkedHashMap<>();

  @Option(
      names = "--env-file",
      paramLabel = "FILE",
      description = "File with NAME=value lines on the execution node, read at each start.")
  private Path envFile;

  @Option(
      names = "--secret",
      paramLabel = "NAME=FILE",
      description = "Environment variable with the content of a file in the node's secrets directory.")
  private final Map<String, String> secrets = new LinkedHashMap<>();

  @Option(
      names = "--cwd",
      paramLabel = "DIR",
      description = "Working directory (default: a new, empty directory).")
  private Path cwd;

  @Option(names = "--run-as", paramLabel = "USER", description = "User to run the job as.")
  private String runAs;

  @Option(names = "--timeout", paramLabel = "TIME", description = "Maximum run time, such as 30s or 5m; then TERM, and KILL after --grace.")
  private Duration timeout;

  @Option(names = "--grace", paramLabel = "TIME", description = "Time between TERM and KILL (default: 10s).")
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
    Refusal.unless(name == null || !name.isBlank(), "--name", "leave it out, or give a name");
    Refusal.unless(runAs == null || !runAs.isBlank(), "--run-as", "give the name of a user");
    Refusal.unless(
        timeout == null || !(timeout.isZero() || timeout.isNegative()),
        "--timeout",
        "use more than 0, or leave it out for no limit");
    Refusal.unless(
        grace == null || (!grace.isNegative() && grace.compareTo(Duration.ofHours(1)) <= 0),
        "--grace",
        "use 0s to 1h");
    Refusal.unless(
        envFile == null || envFile.isAbsolute(),
        "--env-file",
        "'" + envFile + "' is relative; it is read on the execution node, give the absolute path");
    tags.forEach(tag -> checkTag(tag));
    env.keySet().forEach(variable -> checkVariable("--env", variable));
    secrets.forEach(ProcessOptions::checkSecret);
    env.keySet().forEach(variable -> checkOnce(variable));
  }

  private static void checkTag(String tag) {
    Refusal.unless(
        !tag.isBlank() && tag.chars().noneMatch(Character::isWhitespace),
        "--tag",
        "'" + tag + "' is no word; leave spaces out, and repeat --tag for several");
  }

  private static void checkVariable(String option, String variable) {
    Refusal.unless(
        VARIABLE.matcher(variable).matches(),
        option,
        "'" + variable + "' is no name of a variable; use letters, digits and _");
  }

  private static void checkSecret(String variable, String file) {
    checkVariable("--secret", variable);
    Refusal.unless(
        !file.isBlank() && !file.contains("/") && !file.equals(".."),
        "--secret",
        "'" + file + "' is no file's name; name a file of the node's secrets folder, without path");
  }

  private void checkOnce(String variable) {
    Refusal.unless(
        !secrets.containsKey(variable),
        "--secret",
        "variable " + variable + " is given by --env too; leave one out");
  }
}
