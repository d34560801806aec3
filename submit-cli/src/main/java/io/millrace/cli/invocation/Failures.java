package io.millrace.cli.invocation;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.ShellQuoting;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports failures in one line and maps them to exit codes. */
public final class Failures implements IExecutionExceptionHandler, IParameterExceptionHandler {
  // How the parser refuses a value of an option with a fixed set of values.
  private static final Pattern ONE_OF =
      Pattern.compile("expected one of \\[(.*)] \\(case-(?:in)?sensitive\\) but was '(.*)'");

  /** A longer one is data rather than a mistyped name. */
  private static final int LONGEST_WORD = 60;

  // A name such as list, which many groups have, says nothing about what was meant.
  private static final int MAX_COMMANDS = 3;

  // Definitions of these kinds have a group of commands, and are deleted by a command of its own.
  private static final Set<String> DELETED = Set.of("queue", "task");

  private final Invocation invocation;
  private final Supplier<CommandLine> all;

  /**
   * Handles the failures of a run.
   *
   * @param all creates the command with all its subcommands; a run has only those it needs
   */
  public Failures(Invocation invocation, Supplier<CommandLine> all) {
    this.invocation = invocation;
    this.all = all;
  }

  @Override
  public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
    ExitCode exit = report(failure);
    return invocation.exitsAsJob() ? exit.whileWaiting() : exit.code();
  }

  @Override
  public int handleParseException(ParameterException failure, String[] arguments) {
    CommandLine command = failure.getCommandLine();
    String words = words(failure);
    message(words);
    if (invocation.json() || options(arguments).anyMatch("--json"::equals)) {
      json(ErrorCode.INVALID_REQUEST.name(), words);
    }
    List<String> meant =
        failure instanceof UnmatchedArgumentException unmatched ? meant(unmatched) : List.of();
    invocation.note(
        meant.isEmpty()
            ? "see '" + command.getCommandSpec().qualifiedName() + " --help'"
            : "did you mean " + String.join(" or ", meant) + "?");
    return asksToWait(arguments) ? ExitCode.USAGE.whileWaiting() : ExitCode.USAGE.code();
  }

  private static String words(ParameterException failure) {
    return failure instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()
        ? unexpected(unmatched)
        : ONE_OF
            .matcher(failure.getMessage().replace("option option ", "option "))
            .replaceFirst(
                found ->
                    Matcher.quoteReplacement(
                        "'%s' is not one of %s"
                            .formatted(found.group(2), found.group(1).toLowerCase(Locale.ROOT))));
  }

  /** Options or commands that are similar to the first unknown word, each as it is typed. */
  private List<String> meant(UnmatchedArgumentException failure) {
    CommandSpec command = failure.getCommandLine().getCommandSpec();
    String word = failure.getUnmatched().get(0);
    if (word.length() > LONGEST_WORD) {
      return List.of();
    }
    if (failure.isUnknownOption()) {
      String name = word.contains("=") ? word.substring(0, word.indexOf('=')) : word;
      return Suggestions.of(name, command.optionsMap().keySet()).stream()
          .map(one -> "'" + one + "'")
          .toList();
    }
    if (word.equals("delete") && DELETED.contains(command.name())) {
      return List.of("'" + deletion(command, failure.getUnmatched()) + "'");
    }
    List<String> elsewhere = commands(all.get(), word);
    return elsewhere.isEmpty() || elsewhere.size() > MAX_COMMANDS
        ? Suggestions.of(word, command.subcommands().keySet()).stream()
            .map(one -> "'" + command.qualifiedName() + " " + one + "'")
            .toList()
        : elsewhere;
  }

  /** The command that deletes what 'millrace queue delete alert' asks for. */
  private static String deletion(CommandSpec kind, List<String> words) {
    List<String> rest = words.subList(1, words.size());
    String name = rest.isEmpty() ? "NAME" : ShellQuoting.of(rest);
    return "%s delete %s %s".formatted(kind.parent().qualifiedName(), kind.name(), name);
  }

  /** The commands of this name, as 'millrace queue peek' for peek. */
  private static List<String> commands(CommandLine group, String name) {
    return group.getSubcommands().entrySet().stream()
        .flatMap(
            one ->
                Stream.concat(
                    Stream.of(one)
                        .filter(found -> found.getKey().equals(name))
                        .map(
                            found -> "'" + found.getValue().getCommandSpec().qualifiedName() + "'"),
                    commands(one.getValue(), name).stream()))
        .toList();
  }

  private static String unexpected(UnmatchedArgumentException failure) {
    CommandSpec command = failure.getCommandLine().getCommandSpec();
    List<String> arguments = failure.getUnmatched();
    return !command.subcommands().isEmpty() && command.positionalParameters().isEmpty()
        ? "unknown command '" + arguments.get(0) + "'"
        : (arguments.size() == 1 ? "unexpected argument " : "unexpected arguments ")
            + arguments.stream().map(one -> "'" + one + "'").collect(Collectors.joining(", "));
  }

  // Arguments that cannot be parsed have reached no command, so they are examined as text.
  private static boolean asksToWait(String... arguments) {
    return options(arguments).anyMatch("--wait"::equals);
  }

  private static Stream<String> options(String... arguments) {
    return Arrays.stream(arguments).takeWhile(argument -> !argument.equals("--"));
  }

  private ExitCode report(Exception failure) {
    if (failure instanceof MillraceException known) {
      message(known.getMessage() + " [" + known.code() + "]");
      if (known.code() == ErrorCode.UNKNOWN_ROUTE) {
        invocation.note("name a central manager of this version with --server or MILLRACE_URL");
      }
      if (invocation.json()) {
        json(known.code().name(), known.getMessage());
      }
      return ExitCode.of(known.code());
    }
    String detail =
        failure instanceof IOException file
            ? FileFailure.message(file)
            : failure.getMessage() == null ? failure.toString() : failure.getMessage();
    message(detail);
    if (invocation.json()) {
      json(ErrorCode.INTERNAL.name(), detail);
    }
    if (invocation.environment().containsKey("MILLRACE_DEBUG")) {
      failure.printStackTrace(invocation.terminal().err());
    }
    return ExitCode.FAILED;
  }

  private void json(String code, String detail) {
    invocation.terminal().json(Map.of("error", Map.of("code", code, "detail", detail)));
  }

  /** Several problems are one a line; within a line everything harmful is escaped. */
  private void message(String text) {
    invocation.note(
        text.lines().map(Escaping::text).collect(Collectors.joining("\n  ", "error: ", "")));
  }
}
