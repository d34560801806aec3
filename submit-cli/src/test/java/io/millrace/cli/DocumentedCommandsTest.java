package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.ShellQuoting;
import io.millrace.cli.output.Terminal;
import io.millrace.platform.clock.ManualClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The documentation names commands and options that there are, and leaves no command out. */
class DocumentedCommandsTest {
  private static final Pattern INLINE = Pattern.compile("`([^`]+)`");
  private static final Pattern SHELL = Pattern.compile("    (?:\\$ )?(?:bin/)?millrace (.*)");
  private static final Pattern OPTION = Pattern.compile("--[a-z][a-z-]*");
  private static final Path DOCS = Path.of("..", "docs");

  private static final CommandLine ROOT = commandLine();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cli.md",
        "jobs.md",
        "migration.md",
        "migrating-workflows.md",
        "sessions.md",
        "workflows.md"
      })
  void everyCommandAndOptionNamedExists(String file) throws IOException {
    List<String> wrong = new ArrayList<>();
    List<String> mentions = mentions(file);
    mentions.forEach(mention -> wrong.addAll(unknownOptions(mention)));
    assertThat(mentions).hasSizeGreaterThan(15);
    assertThat(wrong).isEmpty();
  }

  @Test
  void everyCommandIsDocumented() throws IOException {
    TreeSet<String> missing = new TreeSet<>();
    leaves(ROOT).forEach(leaf -> missing.add(path(leaf)));
    mentions("cli.md")
        .forEach(mention -> missing.remove(path(addressed(mention).getCommandSpec())));
    // Told by their own pages, and by the row of all else.
    missing.removeIf(leaf -> leaf.startsWith("bench ") || leaf.startsWith("simulate "));
    missing.remove("queue-node rescue");
    missing.remove("queue logs");
    assertThat(missing).isEmpty();
  }

  static Stream<String> commands() {
    return leaves(ROOT).map(DocumentedCommandsTest::path);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyCommandHasHelpWithItsDescriptionAndAnExample(String path) {
    CommandRun run = new CommandRun(new FakeCluster());
    String[] arguments = Stream.concat(words(path), Stream.of("--help")).toArray(String[]::new);
    assertThat(run.run(arguments)).isZero();
    assertThat(run.output()).contains("Usage: millrace " + path);
    if (!path.equals("version")) {
      assertThat(run.output()).contains("Example");
    }
    assertThat(run.messages()).isEmpty();
  }

  private static List<String> mentions(String file) throws IOException {
    List<String> mentions = new ArrayList<>();
    for (String line : Files.readAllLines(DOCS.resolve(file))) {
      Matcher shell = SHELL.matcher(line);
      if (shell.matches()) {
        mentions.add(shell.group(1).replaceFirst(" +# .*", "").strip());
      } else if (!line.startsWith("    ")) {
        Matcher inline = INLINE.matcher(line);
        while (inline.find()) {
          mentions.add(inline.group(1).replaceFirst("^(bin/)?millrace ", ""));
        }
      }
    }
    return mentions.stream().filter(DocumentedCommandsTest::isCommand).toList();
  }

  private static boolean isCommand(String mention) {
    String first = mention.split(" ", 2)[0];
    return ROOT.getSubcommands().containsKey(first);
  }

  private List<String> unknownOptions(String mention) {
    CommandSpec command = addressed(mention).getCommandSpec();
    // What follows a lone -- belongs to the program.
    Matcher option = OPTION.matcher(mention.replaceFirst(" -- .*", ""));
    List<String> unknown = new ArrayList<>();
    while (option.find()) {
      if (command.findOption(option.group()) == null) {
        unknown.add(option.group() + " in: " + mention);
      }
    }
    return unknown;
  }

  /** The command that the words name, as far down as they do. */
  private CommandLine addressed(String mention) {
    CommandLine command = ROOT;
    for (String word : words(mention).toList()) {
      CommandLine below = command.getSubcommands().get(word);
      if (below == null) {
        return command;
      }
      command = below;
    }
    return command;
  }

  private static Stream<String> words(String line) {
    try {
      return ShellQuoting.split(line).stream();
    } catch (IllegalArgumentException e) {
      return Arrays.stream(line.split(" ", -1));
    }
  }

  private static Stream<CommandSpec> leaves(CommandLine command) {
    return command.getSubcommands().isEmpty()
        ? Stream.of(command.getCommandSpec())
        : command.getSubcommands().values().stream().flatMap(DocumentedCommandsTest::leaves);
  }

  private static String path(CommandSpec command) {
    return command.qualifiedName().replaceFirst("^millrace ?", "");
  }

  @Test
  void aCommandThatIsRunAloneHasTheHelpOfTheWholeTree() {
    ROOT.getSubcommands()
        .forEach(
            (name, command) -> {
              assertThat(command.getCommandName()).isEqualTo(name);
              CommandRun run = new CommandRun(new FakeCluster());
              run.run(name, "--help");
              assertThat(run.output()).isEqualTo(command.getUsageMessage());
            });
  }

  private static CommandLine commandLine() {
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
    Terminal terminal = new Terminal(InputStream.nullInputStream(), nowhere, nowhere, false, false);
    return Main.commandLine(
        new Invocation(terminal, Map.of(), new FakeCluster(), new ManualClock(CommandRun.NOW)));
  }
}
