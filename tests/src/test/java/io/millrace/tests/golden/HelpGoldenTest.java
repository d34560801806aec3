package io.millrace.tests.golden;

import org.junit.jupiter.api.Test;

/** The output of {@code --help} for every command and group of commands. */
class HelpGoldenTest {
  @Test
  void everyHelpTextIsAsRecorded() {
    GoldenFiles files = GoldenFiles.of(HelpGoldenTest.class, "help");
    CommandTree.all()
        .forEach(
            (name, command) ->
                files.add(name.replace(' ', '-') + ".txt", command.getUsageMessage()));
    files.verify();
  }
}
