package io.millrace.tests.golden;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.insight.ProblemCode;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy.FailureKind;
import io.millrace.api.job.WaitCode;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.manager.pacing.Gate;
import io.millrace.tests.house.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The names and numbers on which programs and operators rely. */
class CodesGoldenTest {
  private static final Pattern LITERAL = Pattern.compile("\"([A-Z]+(?:_[A-Z]+)+)\"");

  @Test
  void stableCodesAreAsRecorded() throws IOException {
    GoldenFiles.of(CodesGoldenTest.class, "codes")
        .add("errors.txt", lines(ErrorCode.values(), code -> code.status() + " " + exit(code)))
        .add("exit-codes.txt", lines(ExitCode.values(), code -> code.code() + " " + waits(code)))
        .add("wait-reasons.txt", lines(WaitCode.values(), code -> ""))
        .add("job-states.txt", lines(JobState.values(), state -> ""))
        .add("outcomes.txt", lines(Outcome.values(), outcome -> ""))
        .add("failure-kinds.txt", lines(FailureKind.values(), kind -> ""))
        .add("pacing-gates.txt", lines(Gate.values(), gate -> ""))
        .add("problems.txt", String.join("\n", problems()))
        .verify();
  }

  private static String exit(ErrorCode code) {
    return "exits with " + ExitCode.of(code).code();
  }

  private static String waits(ExitCode code) {
    return "and " + code.whileWaiting() + " where the exit code is a job's own";
  }

  private static <E extends Enum<E>> String lines(
      E[] values, java.util.function.Function<E, String> more) {
    return Arrays.stream(values)
        .map(value -> (value.name() + " " + more.apply(value)).strip())
        .collect(Collectors.joining("\n"));
  }

  @Test
  void everyProblemThatIsDetectedHasACodeAndEveryCodeIsDocumentedWithWhatToDo() throws IOException {
    TreeSet<String> codes =
        Arrays.stream(ProblemCode.values())
            .map(ProblemCode::name)
            .collect(Collectors.toCollection(TreeSet::new));
    // The scan only finds codes of several words.
    assertThat(problems())
        .containsExactlyElementsOf(codes.stream().filter(code -> code.contains("_")).toList());
    String manual = Files.readString(SourceTree.root().resolve("docs/operations.md"));
    List<String> rows =
        manual
            .lines()
            .filter(line -> line.startsWith("| `") && line.split(" \\| ").length == 3)
            .toList();
    assertThat(codes)
        .allSatisfy(code -> assertThat(rows).anyMatch(row -> row.contains("`" + code + "`")));
  }

  /** Codes in the code that detects the problems. */
  private static TreeSet<String> problems() throws IOException {
    TreeSet<String> codes = new TreeSet<>();
    try (Stream<Path> walk = Files.walk(SourceTree.root().resolve("manager/src/main/java"))) {
      List<Path> sources = walk.filter(file -> file.toString().endsWith(".java")).toList();
      for (Path source : sources) {
        String text = Files.readString(source);
        if (text.contains("import io.millrace.api.insight.Overview.Alert;")) {
          Matcher literal = LITERAL.matcher(text);
          while (literal.find()) {
            codes.add(literal.group(1));
          }
        }
      }
    }
    return codes;
  }
}
