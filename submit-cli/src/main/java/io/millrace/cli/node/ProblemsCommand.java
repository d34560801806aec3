package io.millrace.cli.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.insight.EndedProblem;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.insight.ProblemSeverity;
import io.millrace.api.insight.ProblemSilence;
import io.millrace.api.insight.ProblemSilence.SilenceRequest;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.ShellQuoting;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace problems …}. */
@Command(
    name = "problems",
    description = "Lists current problems, the most urgent first; silences them for a time.",
    footer = {
      "",
      "Examples:",
      "  millrace problems",
      "  millrace problems --ended",
      "  millrace problems --exit-code > /dev/null || page-somebody"
    })
public final class ProblemsCommand implements Callable<Integer> {
  private static final int MAX = 1_000;
  private static final int MAX_SUGGESTED = 3;

  private final Invocation invocation;

  @Option(
      names = "--exit-code",
      description = "Exit with 1 if there are any problems that are not silenced.")
  private boolean exitCode;

  @Option(names = "--ended", description = "List problems that have ended, the last first.")
  private boolean ended;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "Maximum number of ended problems (default: ${DEFAULT-VALUE}).")
  private int limit;

  public ProblemsCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    OptionRefusal.outside("--limit", limit, 1, MAX);
    if (ended) {
      OptionRefusal.unless(!exitCode, "--exit-code", "is about current problems; omit --ended");
      List<EndedProblem> problems = invocation.central().endedProblems(limit);
      invocation.answer(problems, () -> invocation.print(endedTable(problems), "no problems"));
      return ExitCode.OK.code();
    }
    List<Alert> problems = invocation.central().problems();
    invocation.answer(problems, () -> invocation.print(table(problems), "no problems"));
    boolean counted = problems.stream().anyMatch(problem -> problem.silence() == null);
    return exitCode && counted ? ExitCode.FAILED.code() : ExitCode.OK.code();
  }

  private Table table(List<Alert> problems) {
    Table table =
        new Table(
            Column.left("PROBLEM"),
            Column.left("SUBJECT", 32),
            Column.right("FOR"),
            Column.left("DESCRIPTION"));
    for (Alert problem : problems) {
      table.row(
          Cell.of(problem.code(), style(problem)),
          problem.subject(),
          Ages.since(problem.since(), invocation.now()),
          silenced(problem.silence()) + problem.message());
    }
    return table;
  }

  private static Style style(Alert problem) {
    if (problem.silence() != null) {
      return Style.PLAIN;
    }
    return problem.severity() == ProblemSeverity.CRITICAL ? Style.BAD : Style.WARNING;
  }

  private static String silenced(ProblemSilence silence) {
    return silence == null
        ? ""
        : "[silenced by %s until %s: %s] "
            .formatted(silence.by(), silence.until(), silence.reason());
  }

  private static Table endedTable(List<EndedProblem> problems) {
    Table table =
        new Table(
            Column.left("PROBLEM"),
            Column.left("SUBJECT", 32),
            Column.left("BEGAN"),
            Column.left("ENDED"),
            Column.right("TOOK"),
            Column.left("DESCRIPTION"));
    for (EndedProblem problem : problems) {
      table.row(
          problem.code(),
          problem.subject(),
          problem.since(),
          problem.endedAt(),
          Ages.between(problem.since(), problem.endedAt()),
          problem.message());
    }
    return table;
  }

  @Command(
      name = "silence",
      description = {
        "Silences problems for a time: they are still listed, but neither sent on nor counted by",
        "--exit-code."
      },
      footer = {
        "",
        "Examples:",
        "  millrace problems silence QUEUE_PAUSED alert --for 2h --reason 'deploy of alert'",
        "  millrace problems silence EXECUTION_NODE_LOST --for 1d --reason 'rack 7 moves'"
      })
  void silence(
      @Parameters(
              index = "0",
              paramLabel = "CODE",
              description = "Code of the problems, as in the list.")
          String code,
      @Parameters(
              index = "1",
              arity = "0..1",
              paramLabel = "SUBJECT",
              description = "Subject of the problem; omit it for every subject.")
          String subject,
      @Option(
              names = "--for",
              required = true,
              paramLabel = "TIME",
              description = "How long, at most 30 days: 2h (required).")
          Duration time,
      @Option(
              names = "--reason",
              required = true,
              paramLabel = "TEXT",
              description = "Why, for everybody who sees the problem (required).")
          String reason) {
    String name = code.toUpperCase(Locale.ROOT);
    ProblemSilence silence =
        invocation.central().silences().add(new SilenceRequest(name, subject, time, reason));
    invocation.report(
        silence, "silenced %s until %s".formatted(describe(silence), silence.until()));
    if (subject != null && !invocation.json()) {
      noteAbsence(silence);
    }
  }

  /** A subject that is written otherwise would silence nothing. */
  private void noteAbsence(ProblemSilence silence) {
    List<String> present =
        invocation.central().problems().stream()
            .filter(problem -> problem.code().equals(silence.code()))
            .map(Alert::subject)
            .toList();
    if (!present.contains(silence.subject())) {
      invocation.note(
          "there is no such problem now"
              + (present.isEmpty() ? "" : "; those of this code are of: ")
              + present.stream().limit(5).map(Escaping::text).collect(Collectors.joining(", ")));
    }
  }

  @Command(
      name = "silences",
      description = "Lists the silences in force.",
      footer = {"", "Example:", "  millrace problems silences"})
  void silences() {
    List<ProblemSilence> silences = invocation.central().silences().inForce();
    invocation.list(silences, () -> silenceTable(silences), "no silences");
  }

  private static Table silenceTable(List<ProblemSilence> silences) {
    Table table =
        new Table(
            Column.left("PROBLEM"),
            Column.left("SUBJECT", 32),
            Column.left("UNTIL"),
            Column.left("BY"),
            Column.left("REASON"));
    for (ProblemSilence silence : silences) {
      table.row(
          silence.code(),
          Objects.requireNonNullElse(silence.subject(), "(every)"),
          silence.until(),
          silence.by(),
          silence.reason());
    }
    return table;
  }

  @Command(
      name = "lift",
      description = "Ends a silence before its time.",
      footer = {
        "",
        "Examples:",
        "  millrace problems lift QUEUE_PAUSED alert",
        "  millrace problems lift EXECUTION_NODE_LOST"
      })
  void lift(
      @Parameters(index = "0", paramLabel = "CODE", description = "Code of the silence.")
          String code,
      @Parameters(
              index = "1",
              arity = "0..1",
              paramLabel = "SUBJECT",
              description = "Subject of the silence; omit it for the one of every subject.")
          String subject) {
    String name = code.toUpperCase(Locale.ROOT);
    List<ProblemSilence> ofCode =
        invocation.central().silences().inForce().stream()
            .filter(one -> one.code().equals(name))
            .toList();
    ProblemSilence found =
        ofCode.stream()
            .filter(one -> Objects.equals(one.subject(), subject))
            .findFirst()
            .orElseThrow(() -> notSilenced(name, subject, ofCode));
    ProblemSilence lifted = invocation.central().silences().lift(found.id());
    invocation.report(lifted, "lifted the silence of " + describe(lifted));
  }

  private static MillraceException notSilenced(
      String code, String subject, List<ProblemSilence> ofCode) {
    String what = subject == null ? code : code + " of " + subject;
    String problem =
        ofCode.isEmpty()
            ? what + " is not silenced; 'millrace problems silences' lists what is"
            : what
                + (subject == null ? " is silenced only of some subjects" : " is not silenced")
                + ofCode.stream()
                    .limit(MAX_SUGGESTED)
                    .map(one -> "'millrace problems lift " + ShellQuoting.of(arguments(one)) + "'")
                    .collect(Collectors.joining(" or ", "; lift a silence of it with ", ""));
    return new MillraceException(ErrorCode.UNKNOWN_SILENCE, problem);
  }

  private static List<String> arguments(ProblemSilence silence) {
    return silence.subject() == null
        ? List.of(silence.code())
        : List.of(silence.code(), silence.subject());
  }

  private static String describe(ProblemSilence silence) {
    return silence.subject() == null
        ? silence.code() + " of every subject"
        : silence.code() + " of " + silence.subject();
  }
}
