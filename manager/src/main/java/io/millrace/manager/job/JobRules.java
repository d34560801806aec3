package io.millrace.manager.job;

import static io.millrace.manager.job.FieldChecks.checkLength;
import static io.millrace.manager.job.FieldChecks.checkName;
import static io.millrace.manager.job.FieldChecks.checkTexts;
import static io.millrace.manager.job.FieldChecks.refuse;
import static io.millrace.manager.job.FieldChecks.require;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.RetryPolicy;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.placement.Rank;
import io.millrace.manager.placement.Requirement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Rules for job specifications besides those that their record checks; messages name the field and
 * the fix. Pure.
 */
public final class JobRules {
  /** Most jobs of one request. */
  public static final int MAX_JOBS = 10_000;

  /** The highest priority; the lowest is its negative. */
  public static final int MAX_PRIORITY = 1_000_000;

  /**
   * The most characters of a word of a command or of a variable's value: the limit of Linux for
   * one.
   */
  public static final int LONGEST_TEXT = 128 * 1024;

  /** The most characters of the standard input. */
  public static final int LONGEST_INPUT = 256 * 1024;

  private static final Pattern POOL = Pattern.compile("[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?");
  private static final String POOL_FORM = "a-z, 0-9, '.', '_' and '-', at most 63 characters";
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final int MAX_RETRIES = 10_000;
  private static final int MAX_CODES = 100;
  private static final int MAX_FALLBACKS = 20;
  private static final Duration LONGEST_PAUSE = Duration.ofDays(7);

  private JobRules() {}

  /**
   * Checks a specification.
   *
   * @throws MillraceException INVALID_REQUEST with all problems
   */
  public static void check(JobKind kind, JobSpec spec) {
    List<String> problems = problems(kind, spec);
    if (!problems.isEmpty()) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, String.join("; ", problems));
    }
  }

  /** What is wrong with a specification: at most one problem from each group of rules. */
  public static List<String> problems(JobKind kind, JobSpec spec) {
    List<String> problems = new ArrayList<>();
    for (Runnable rule : rules(kind, spec)) {
      try {
        rule.run();
      } catch (MillraceException e) {
        problems.add(e.getMessage());
      }
    }
    return problems;
  }

  private static List<Runnable> rules(JobKind kind, JobSpec spec) {
    return List.of(
        () -> checkKind(kind, spec),
        () -> checkTextFields(spec),
        () -> checkEnvironment("env", spec.env()),
        () -> checkTimes(spec),
        () -> checkCodes("idleExitCodes", spec.idleExitCodes()),
        () -> checkName("pool", spec.pool(), POOL, POOL_FORM),
        () -> checkPriority(spec.priority()),
        () -> checkRetry(spec.retry()),
        () ->
            require(
                !spec.restart() || spec.retry().max() == 0,
                "retry",
                "a job with restart: true is restarted automatically; leave retry out"),
        () -> ResourceRules.checkAmounts(spec),
        () -> ResourceRules.checkRequirement(spec),
        () -> ResourceRules.checkRank(spec),
        () -> WaitRules.check(spec),
        () -> ProcessRules.check(kind, spec),
        () -> NotificationRules.check(spec.notification(), NotificationRules.OF_JOBS));
  }

  /**
   * Checks the jobs of one request.
   *
   * @throws MillraceException INVALID_REQUEST that names the first invalid one by its index
   */
  static void checkBatch(JobKind kind, List<JobSpec> specs) {
    if (specs.isEmpty() || specs.size() > MAX_JOBS) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "%d jobs in one request; send 1 to %d".formatted(specs.size(), MAX_JOBS));
    }
    for (int i = 0; i < specs.size(); i++) {
      JobSpec spec = specs.get(i);
      if (spec == null) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST, "[" + i + "] is null; send a job or leave it out");
      }
      try {
        check(kind, spec);
      } catch (MillraceException e) {
        throw new MillraceException(e.code(), "[" + i + "] " + e.getMessage(), e);
      }
    }
  }

  /** What is wrong with a command that is not that of a job, beginning with its field. */
  public static List<String> problemsOfCommand(String field, List<String> command) {
    try {
      checkTexts(field, command, LONGEST_TEXT);
      return List.of();
    } catch (MillraceException e) {
      return List.of(e.getMessage());
    }
  }

  /**
   * Checks an action on jobs.
   *
   * @throws MillraceException INVALID_REQUEST
   */
  static void checkAction(ActionRequest request) {
    if (request.verb() == Verb.PRIORITY) {
      require(request.priority() != null, "priority", "missing; give a number, 0 is the default");
      checkPriority(request.priority());
    } else {
      require(
          request.priority() == null, "priority", "leave it out; only the verb priority takes it");
    }
    checkLength("reason", request.reason(), 500);
  }

  private static void checkKind(JobKind kind, JobSpec spec) {
    if (kind == JobKind.WORKER && spec.input() == null) {
      throw refuse("input", "missing; a worker needs the queue whose events it takes");
    }
    if (kind != JobKind.WORKER && spec.input() != null) {
      throw refuse(
          "input", "only queue managers submit workers; define a queue with this command instead");
    }
  }

  private static void checkPriority(int priority) {
    require(
        Math.abs((long) priority) <= MAX_PRIORITY,
        "priority",
        "use a number from -1000000 to 1000000");
  }

  private static void checkTextFields(JobSpec spec) {
    // Before the name, which is that of the program unless the job has one.
    checkTexts("command", spec.command() == null ? List.of() : spec.command(), LONGEST_TEXT);
    checkLength("name", spec.name(), 200);
    checkLength("single", spec.single(), 400);
    require(spec.single() == null || !spec.single().isBlank(), "single", "empty; give a name");
    checkLength("cwd", spec.cwd(), 4096);
    checkLength("preferredNode", spec.preferredNode(), 200);
    checkLength("program", spec.program(), 200);
    checkTexts("arguments", spec.arguments(), LONGEST_TEXT);
    checkLength("stdin", spec.stdin(), LONGEST_INPUT);
    require(
        spec.stdin() == null || (spec.command() != null && spec.input() == null),
        "stdin",
        "built-in programs and workers of queues have no stdin; leave it out");
    require(
        spec.cwd() == null || spec.cwd().startsWith("/"),
        "cwd",
        "'" + spec.cwd() + "' is relative; give the absolute path");
    require(
        spec.command() == null || !spec.command().get(0).isBlank(),
        "command",
        "the program is empty");
  }

  /** Checks that the names are those of environment variables. */
  static void checkEnvironment(String field, Map<String, String> env) {
    env.forEach(
        (name, value) -> {
          require(
              VARIABLE.matcher(name).matches(),
              field,
              "'" + name + "' is not a valid name of an environment variable");
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
    require(retry.max() <= MAX_RETRIES, "retry.max", "use at most " + MAX_RETRIES);
    require(within(retry.backoff()), "retry.backoff", "use 0s to 7d");
    require(within(retry.maxBackoff()), "retry.maxBackoff", "use 0s to 7d");
    checkCodes("retry.exitCodes", retry.exitCodes());
    checkCodes("retry.finalExitCodes", retry.finalExitCodes());
    require(
        retry.fallback().isEmpty() || retry.scale() != null,
        "retry.fallback",
        "has no effect without retry.scale; give the factor by which the memory grows");
    require(
        retry.fallback().size() <= MAX_FALLBACKS,
        "retry.fallback",
        "use at most " + MAX_FALLBACKS + " pools");
    require(
        Set.copyOf(retry.fallback()).size() == retry.fallback().size(),
        "retry.fallback",
        "contains a duplicate; give each pool once");
    for (String pool : retry.fallback()) {
      checkName("retry.fallback", pool, POOL, POOL_FORM);
    }
    // The loss of a node is covered or not, whatever the number of retries.
    require(
        retry.max() > 0 || retry.equals(new RetryPolicy(0, null, null, retry.on(), null, null)),
        "retry.max",
        "missing or 0, so backoff, maxBackoff, exitCodes, finalExitCodes, scale and fallback have"
            + " no effect; give the number of retries, or leave them out");
  }

  private static boolean within(Duration pause) {
    return !pause.isNegative() && pause.compareTo(LONGEST_PAUSE) <= 0;
  }

  private static void checkCodes(String field, Iterable<Integer> codes) {
    int count = 0;
    for (int code : codes) {
      require(
          code >= 1 && code <= 255, field, code + " is not a valid exit code here; use 1 to 255");
      count++;
    }
    require(count <= MAX_CODES, field, "%d codes; use at most %d".formatted(count, MAX_CODES));
  }

  /** Rules for the start of a job's processes. Pure. */
  private static final class ProcessRules {
    private static final Pattern USER = Pattern.compile("[a-z_][a-z0-9_-]{0,30}\\$?");
    private static final Pattern SECRET = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,199}");
    private static final Duration LONGEST_FAILOVER = Duration.ofDays(7);
    private static final int MAX_SECRETS = 100;

    private ProcessRules() {}

    static void check(JobKind kind, JobSpec spec) {
      boolean command = spec.command() != null;
      Duration failover = spec.failover();
      if (failover != null) {
        require(
            !failover.isNegative() && failover.compareTo(LONGEST_FAILOVER) <= 0,
            "failover",
            "use 0s to 7d");
        require(
            spec.single() != null || spec.lane() != null,
            "failover",
            "only for jobs with single or lane; add one of them, or leave it out");
        require(
            command, "failover", "a built-in program ends with its execution node; leave it out");
      }
      require(
          !command || spec.arguments().isEmpty(),
          "arguments",
          "only for a built-in program; write the arguments of a command into command");
      require(command || spec.cwd() == null, "cwd", "a built-in program has no working directory");
      // The commands of a queue manager run as this user.
      require(
          command || spec.runAs() == null || kind == JobKind.MANAGER,
          "runAs",
          "a built-in program cannot run as another user");
      require(
          command || spec.envFile() == null, "envFile", "a built-in program has no environment");
      require(
          command || spec.secrets().isEmpty(), "secrets", "a built-in program has no environment");
      require(command || spec.memory() == null, "memory", "a built-in program cannot be limited");
      checkName(
          "runAs",
          spec.runAs(),
          USER,
          "a user name of a-z, 0-9, '_' and '-', at most 32 characters");
      checkLength("envFile", spec.envFile(), 4096);
      require(
          spec.envFile() == null || spec.envFile().startsWith("/"),
          "envFile",
          "'" + spec.envFile() + "' is relative; give the absolute path on the execution node");
      checkSecrets(spec);
    }

    private static void checkSecrets(JobSpec spec) {
      require(
          spec.secrets().size() <= MAX_SECRETS,
          "secrets",
          "%d secrets; use at most %d".formatted(spec.secrets().size(), MAX_SECRETS));
      JobRules.checkEnvironment("secrets", spec.secrets());
      spec.secrets()
          .forEach(
              (variable, file) -> {
                checkName(
                    "secrets." + variable,
                    file,
                    SECRET,
                    "the name of a file in the node's secrets folder, without '/'");
                require(
                    !file.contains(".."), "secrets." + variable, "'" + file + "' contains '..'");
                require(
                    !spec.env().containsKey(variable),
                    "secrets." + variable,
                    "env sets the same variable; remove one of them");
              });
    }
  }

  /** Rules for what a job requests of nodes and of the cluster. Pure. */
  private static final class ResourceRules {
    private static final Pattern CONSUMABLE = Pattern.compile("[a-zA-Z][a-zA-Z0-9._-]{0,62}");
    private static final Pattern SHARE = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._:@/-]{0,99}");
    private static final double MIN_CPU = 0.001;
    private static final double MAX_CPU = 10_000;
    private static final long MIN_MEMORY = 1 << 20;
    private static final int MAX_NAMES = 20;
    private static final int MAX_AMOUNT = 1_000_000;
    private static final int LONGEST_EXPRESSION = 2000;

    private ResourceRules() {}

    static void checkAmounts(JobSpec spec) {
      Double cpu = spec.cpu();
      require(
          cpu == null || (cpu >= MIN_CPU && cpu <= MAX_CPU),
          "cpu",
          "must be from 0.001 to 10000 processors, not " + cpu);
      require(
          spec.memory() == null || spec.memory().bytes() >= MIN_MEMORY,
          "memory",
          "use at least 1MB; no process starts with less");
      checkAmounts("resources", spec.resources());
      checkAmounts("licences", spec.licences());
      checkName(
          "share",
          spec.share(),
          SHARE,
          "letters, digits, '.', '_', ':', '@', '/' and '-', at most 100 characters");
    }

    static void checkRequirement(JobSpec spec) {
      checkLength("requires", spec.requires(), LONGEST_EXPRESSION);
      Requirement.parse(spec.requires());
    }

    static void checkRank(JobSpec spec) {
      checkLength("rank", spec.rank(), LONGEST_EXPRESSION);
      Rank.parse(spec.rank());
    }

    private static void checkAmounts(String field, Map<String, Integer> amounts) {
      require(
          amounts.size() <= MAX_NAMES,
          field,
          "%d names; use at most %d".formatted(amounts.size(), MAX_NAMES));
      amounts.forEach(
          (name, amount) -> {
            checkName(
                field,
                name,
                CONSUMABLE,
                "a letter, then letters, digits, '.', '_' and '-', at most 63 characters");
            require(
                amount >= 1 && amount <= MAX_AMOUNT,
                field + "." + name,
                "must be from 1 to 1000000, not " + amount);
          });
    }
  }

  /** Rules for what a job waits for, and for which ways of repetition go together. Pure. */
  static final class WaitRules {
    private static final Pattern TAG = Pattern.compile("[a-z0-9._:/-]{1,100}");
    private static final Pattern LANE = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._:@/-]{0,99}");
    private static final int MAX_TAGS = 20;
    private static final int MAX_DEPENDENCIES = 1000;

    private WaitRules() {}

    static void check(JobSpec spec) {
      require(
          spec.tags().size() <= MAX_TAGS,
          "tags",
          "%d tags; use at most %d".formatted(spec.tags().size(), MAX_TAGS));
      for (String tag : spec.tags()) {
        if (!TAG.matcher(tag).matches()) {
          throw refuse(
              "tags",
              "'"
                  + tag
                  + "' is not a valid tag; use 1 to 100 of a-z, 0-9, '.', '_', ':', '/', '-'");
        }
      }
      require(
          new HashSet<>(spec.tags()).size() == spec.tags().size(),
          "tags",
          "contains a duplicate; give each tag once");
      checkName(
          "lane",
          spec.lane(),
          LANE,
          "letters, digits, '.', '_', ':', '@', '/' and '-', at most 100 characters");
      require(
          spec.deadline() == null
              || spec.notBefore() == null
              || spec.deadline().isAfter(spec.notBefore()),
          "deadline",
          "is not after notBefore, " + spec.notBefore() + "; give a later one");
      checkDependencies(spec);
      checkRepetition(spec);
    }

    /** Refuses, at submission, a deadline that has passed. */
    static void checkTime(JobSpec spec, Instant now) {
      require(
          spec.deadline() == null || spec.deadline().isAfter(now),
          "deadline",
          spec.deadline() + " has passed; give a later one");
    }

    private static void checkDependencies(JobSpec spec) {
      require(
          spec.after().size() <= MAX_DEPENDENCIES,
          "after",
          "%d jobs; use at most %d".formatted(spec.after().size(), MAX_DEPENDENCIES));
      Set<Long> named = new HashSet<>();
      for (Dependency condition : spec.after()) {
        require(named.add(condition.job()), "after", "contains job " + condition.job() + " twice");
      }
    }

    private static void checkRepetition(JobSpec spec) {
      require(
          !spec.restart() || spec.lane() == null,
          "lane",
          "a job with restart: true would block its lane forever; remove one of them");
      if (spec.array() == null) {
        return;
      }
      require(
          spec.single() == null,
          "single",
          "only one element of the array could run at a time; use array limit %1 instead");
      require(
          spec.lane() == null,
          "lane",
          "an array has its own order and limit; use array limit %1 instead");
      require(!spec.restart(), "restart", "cannot be combined with array; remove one of them");
    }
  }
}
