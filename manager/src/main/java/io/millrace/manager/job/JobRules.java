package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
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
  // What Linux takes as one argument, and far below what it takes in all.
  private static final int LONGEST_TEXT = 128 * 1024;

  private JobRules() {}

  /**
   * Checks a specification.
   *
   * @throws MillraceException INVALID_REQUEST
   */
  public static void check(JobKind kind, JobSpec spec) {
    if (kind == JobKind.WORKER && spec.input() == null) {
      throw refuse("input", "a worker names the events that it takes");
    }
    if (kind != JobKind.WORKER && spec.input() != null) {
      throw refuse(
          "input", "only queue managers submit workers; define a queue with this command instead");
    }
    checkWords(spec);
    checkEnvironment(spec.env());
    checkTimes(spec);
    if (!POOL.matcher(spec.pool()).matches()) {
      throw refuse("pool", "'" + spec.pool() + "' is no name; use a-z, 0-9, '.', '_' and '-'");
    }
    if (Math.abs((long) spec.priority()) > MOST_PRIORITY) {
      throw refuse("priority", "use a number from -1000000 to 1000000");
    }
    if (spec.retry().max() > MOST_RETRIES) {
      throw refuse("retry.max", "use at most " + MOST_RETRIES);
    }
    if (spec.restart() && spec.retry().max() > 0) {
      throw refuse("retry", "a job with restart: true starts again by itself; leave retry out");
    }
  }

  private static void checkWords(JobSpec spec) {
    checkLength("name", spec.name(), 200);
    checkLength("single", spec.single(), 400);
    checkLength("cwd", spec.cwd(), 4096);
    checkLength("preferredNode", spec.preferredNode(), 200);
    checkLength("program", spec.program(), 200);
    checkTexts("command", spec.command() == null ? List.of() : spec.command());
    checkTexts("arguments", spec.arguments());
    if (spec.cwd() != null && !spec.cwd().startsWith("/")) {
      throw refuse("cwd", "'" + spec.cwd() + "' is relative; give the absolute path");
    }
    if (spec.command() != null && spec.command().get(0).isBlank()) {
      throw refuse("command", "its first word, the program, is empty");
    }
  }

  private static void checkTexts(String field, List<String> texts) {
    for (String text : texts) {
      checkLength(field, text, LONGEST_TEXT);
    }
  }

  private static void checkLength(String field, String text, int longest) {
    if (text == null) {
      return;
    }
    if (text.length() > longest) {
      throw refuse(field, "it has " + text.length() + " characters; use at most " + longest);
    }
    if (text.indexOf('\0') >= 0) {
      throw refuse(field, "it holds a NUL character, which no program can be given");
    }
  }

  private static void checkEnvironment(Map<String, String> env) {
    env.forEach(
        (name, value) -> {
          if (!VARIABLE.matcher(name).matches()) {
            throw refuse("env", "'" + name + "' is no name of an environment variable");
          }
          checkLength("env." + name, value, LONGEST_TEXT);
        });
  }

  private static void checkTimes(JobSpec spec) {
    if (spec.timeout() != null && spec.timeout().compareTo(Duration.ZERO) <= 0) {
      throw refuse("timeout", "use more than 0, or leave it out for no limit");
    }
    if (spec.grace().isNegative() || spec.grace().compareTo(Duration.ofHours(1)) > 0) {
      throw refuse("grace", "use 0s to 1h");
    }
    if (spec.retry().backoff().isNegative() || spec.retry().maxBackoff().isNegative()) {
      throw refuse("retry", "its waits are not negative");
    }
  }

  private static MillraceException refuse(String field, String fix) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, field + ": " + fix);
  }
}
