package io.millrace.manager.job;

import static io.millrace.manager.job.Refusals.checkLength;
import static io.millrace.manager.job.Refusals.checkName;
import static io.millrace.manager.job.Refusals.checkTexts;
import static io.millrace.manager.job.Refusals.refuse;
import static io.millrace.manager.job.Refusals.require;

import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.RetryPolicy;
import io.millrace.manager.job.JobActions.ActionRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What a job's specification must fulfil besides what its record checks; messages name the field
 * and the fix. Pure.
 */
public final class JobRules {
  private static final Pattern POOL = Pattern.compile("[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?");
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final int MOST_PRIORITY = 1_000_000;
  private static final int MOST_RETRIES = 10_000;
  private static final int MOST_CODES = 100;
  private static final Duration LONGEST_PAUSE = Duration.ofDays(7);
  // What Linux takes as one argument, and far below what it takes in all.
  private static final int LONGEST_TEXT = 128 * 1024;
  private static final int LONGEST_INPUT = 256 * 1024;

  private JobRules() {}

  /**
   * Checks a specification.
   *
   * @throws io.millrace.api.MillraceException INVALID_REQUEST
   */
  public static void check(JobKind kind, JobSpec spec) {
    checkKind(kind, spec);
    checkWords(spec);
    checkEnvironment("env", spec.env());
    checkTimes(spec);
    checkCodes("idleExitCodes", spec.idleExitCodes());
    checkName("pool", spec.pool(), POOL, "a-z, 0-9, '.', '_' and '-', at most 63 characters");
    checkPriority(spec.priority());
    checkRetry(spec.retry());
    require(
        !spec.restart() || spec.retry().max() == 0,
        "retry",
        "a job with restart: true starts again by itself; leave retry out");
    ResourceRules.check(spec);
    WaitRules.check(spec);
    StartRules.check(spec);
    NotificationRules.check(spec.notification());
  }

  /**
   * Checks what somebody wants done to jobs.
   *
   * @throws io.millrace.api.MillraceException INVALID_REQUEST
   */
  static void checkAction(ActionRequest request) {
    if (request.verb() == Verb.PRIORITY) {
      require(request.priority() != null, "priority", "say which, a number; 0 is ordinary");
      checkPriority(request.priority());
    } else {
      require(request.priority() == null, "priority", "leave it out, the verb is another");
    }
    checkLength("reason", request.reason(), 500);
  }

  private static void checkKind(JobKind kind, JobSpec spec) {
    if (kind == JobKind.WORKER && spec.input() == null) {
      throw refuse("input", "a worker names the events that it takes");
    }
    if (kind != JobKind.WORKER && spec.input() != null) {
      throw refuse(
          "input", "only queue managers submit workers; define a queue with this command instead");
    }
  }

  private static void checkPriority(int priority) {
    require(
        Math.abs((long) priority) <= MOST_PRIORITY,
        "priority",
        "use a number from -1000000 to 1000000");
  }

  private static void checkWords(JobSpec spec) {
    checkLength("name", spec.name(), 200);
    checkLength("single", spec.single(), 400);
    require(spec.single() == null || !spec.single().isBlank(), "single", "it is empty; name it");
    checkLength("cwd", spec.cwd(), 4096);
    checkLength("preferredNode", spec.preferredNode(), 200);
    checkLength("program", spec.program(), 200);
    checkTexts("command", spec.command() == null ? List.of() : spec.command(), LONGEST_TEXT);
    checkTexts("arguments", spec.arguments(), LONGEST_TEXT);
    checkLength("stdin", spec.stdin(), LONGEST_INPUT);
    require(
        spec.stdin() == null || (spec.command() != null && spec.input() == null),
        "stdin",
        "built-in programs and workers of queues read none; leave it out");
    require(
        spec.cwd() == null || spec.cwd().startsWith("/"),
        "cwd",
        "'" + spec.cwd() + "' is relative; give the absolute path");
    require(
        spec.command() == null || !spec.command().get(0).isBlank(),
        "command",
        "its first word, the program, is empty");
  }

  /** Names are those of environment variables. */
  static void checkEnvironment(String field, Map<String, String> env) {
    env.forEach(
        (name, value) -> {
          require(
              VARIABLE.matcher(name).matches(),
              field,
              "'" + name + "' is no name of an environment variable");
          checkLength(field + "." + name, value, LONGEST_TEXT);
        });
  }

  private static void checkTimes(JobSpec spec) {
    require(
        spec.timeout() == null || spec.timeout().compareTo(Duration.ZERO) > 0,
        "timeout",
        "use more than 0, or leave it out for no limit");
    require(
        !spec.grace().isNegative() && spec.grace().compareTo(Duration.ofHours(1)) <= 0,
        "grace",
        "use 0s to 1h");
  }

  private static void checkRetry(RetryPolicy retry) {
    require(retry.max() <= MOST_RETRIES, "retry.max", "use at most " + MOST_RETRIES);
    require(within(retry.backoff()), "retry.backoff", "use 0s to 7d");
    require(within(retry.maxBackoff()), "retry.maxBackoff", "use 0s to 7d");
    checkCodes("retry.exitCodes", retry.exitCodes());
    checkCodes("retry.finalExitCodes", retry.finalExitCodes());
  }

  private static boolean within(Duration pause) {
    return !pause.isNegative() && pause.compareTo(LONGEST_PAUSE) <= 0;
  }

  private static void checkCodes(String field, Iterable<Integer> codes) {
    int count = 0;
    for (int code : codes) {
      require(code >= 1 && code <= 255, field, code + " is no code of its own; use 1 to 255");
      count++;
    }
    require(count <= MOST_CODES, field, "it has " + count + " codes; use at most " + MOST_CODES);
  }

  /** What a job may ask of the start of its processes. Pure. */
  private static final class StartRules {
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
      require(
          command || spec.runAs() == null, "runAs", "a built-in program has no user of its own");
      require(
          command || spec.envFile() == null, "envFile", "a built-in program has no environment");
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
}
