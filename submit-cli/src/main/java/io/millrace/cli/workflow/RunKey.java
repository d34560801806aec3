package io.millrace.cli.workflow;

import io.millrace.cli.invocation.OptionRefusal;
import picocli.CommandLine.Option;

/** The option that distinguishes runs of the same workflow. */
final class RunKey {
  private static final int LONGEST = 200;

  @Option(
      names = "--run-key",
      paramLabel = "KEY",
      description = "Distinguishes runs of the same workflow, such as a date.")
  private String key;

  /** Null for none; a key that is empty, too long or has control characters is refused. */
  String value() {
    OptionRefusal.unless(
        key == null
            || (!key.isBlank()
                && key.length() <= LONGEST
                && key.chars().noneMatch(Character::isISOControl)),
        "--run-key",
        "use 1 to " + LONGEST + " characters, none of them a control character");
    return key;
  }
}
