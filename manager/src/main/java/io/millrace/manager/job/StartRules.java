package io.millrace.manager.job;

import static io.millrace.manager.job.Refusals.checkLength;
import static io.millrace.manager.job.Refusals.checkName;
import static io.millrace.manager.job.Refusals.require;

import io.millrace.api.job.JobSpec;
import java.time.Duration;
import java.util.regex.Pattern;

/** What a job may ask of the start of its processes. Pure. */
final class StartRules {
  private static final Pattern USER = Pattern.compile("[a-z_][a-z0-9_-]{0,30}\\$?");
  private static final Pattern SECRET = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,199}");
  private static final Duration LONGEST_FAILOVER = Duration.ofDays(7);
  private static final int MOST_SECRETS = 100;

  private StartRules() {}

  static void check(JobSpec spec) {
    Duration failover = spec.failover();
    if (failover != null) {
      require(
          !failover.isNegative() && failover.compareTo(LONGEST_FAILOVER) <= 0,
          "failover",
          "use 0s to 7d");
      require(
          spec.single() != null || spec.lane() != null,
          "failover",
          "it is for jobs that must not overlap; give single or lane, or leave it out");
    }
    boolean command = spec.command() != null;
    require(command || spec.runAs() == null, "runAs", "a built-in program has no user of its own");
    require(command || spec.envFile() == null, "envFile", "a built-in program has no environment");
    require(
        command || spec.secrets().isEmpty(), "secrets", "a built-in program has no environment");
    require(command || spec.memory() == null, "memory", "a built-in program can't be limited");
    checkName(
        "runAs",
        spec.runAs(),
        USER,
        "that of a user, a-z, 0-9, '_' and '-', at most 32 characters");
    checkLength("envFile", spec.envFile(), 4096);
    require(
        spec.envFile() == null || spec.envFile().startsWith("/"),
        "envFile",
        "'" + spec.envFile() + "' is relative; give the absolute path on the execution node");
    checkSecrets(spec);
  }

  private static void checkSecrets(JobSpec spec) {
    require(
        spec.secrets().size() <= MOST_SECRETS,
        "secrets",
        "it names " + spec.secrets().size() + "; use at most " + MOST_SECRETS);
    JobRules.checkEnvironment("secrets", spec.secrets());
    spec.secrets()
        .forEach(
            (variable, file) -> {
              checkName(
                  "secrets." + variable,
                  file,
                  SECRET,
                  "the name of a file in the node's secrets folder, without '/'");
              require(!file.contains(".."), "secrets." + variable, "'" + file + "' holds '..'");
              require(
                  !spec.env().containsKey(variable),
                  "secrets." + variable,
                  "env sets the same variable; leave one of them out");
            });
  }
}
