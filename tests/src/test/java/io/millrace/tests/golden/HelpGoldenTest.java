package io.millrace.tests.golden;

import org.junit.jupiter.api.Test;

/** What {@code --help} prints, of every command and group of commands. */
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
