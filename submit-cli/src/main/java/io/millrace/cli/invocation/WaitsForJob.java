package io.millrace.cli.invocation;

import java.util.Arrays;

/**
 * A command that may exit with a job's own exit code, so that its own errors need codes that cannot
 * be mistaken for it.
 */
public interface WaitsForJob {
  /** Whether this call does. */
  boolean waits();

  /** Whether arguments that cannot be parsed ask for it. */
  static boolean asked(String... arguments) {
    return Arrays.stream(arguments)
        .takeWhile(argument -> !argument.equals("--"))
        .anyMatch(argument -> argument.equals("--wait"));
  }
}
