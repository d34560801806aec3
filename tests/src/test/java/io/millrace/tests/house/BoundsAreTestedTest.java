package io.millrace.tests.house;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.insight.ProblemCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * docs/security.md lists what input from outside can fill, and which attacks are refused, each with
 * the tests that try it; and every problem that operators are shown is raised in a test.
 */
class BoundsAreTestedTest {
  private static final Pattern TEST = Pattern.compile("`(\\w+Test)(?:#(\\w+))?`");
  private static final String BOUNDS = "Bounds";
  private static final String ATTACKS = "Attacks and the tests that perform them";
  private static final Path ROOT = SourceTree.root();

  @Test
  void everyBoundNamesATestThatExists() throws IOException {
    assertThat(rows(BOUNDS)).hasSizeGreaterThan(30);
    assertThat(faults(BOUNDS)).isEmpty();
  }

  @Test
  void everyAttackNamesATestThatExists() throws IOException {
    assertThat(rows(ATTACKS)).hasSizeGreaterThan(30);
    assertThat(faults(ATTACKS)).isEmpty();
  }

  /** A problem that no test raises may be one that nothing raises. */
  @Test
  void everyProblemIsRaisedInATest() throws IOException {
    String all = String.join("\n", tests().values());
    assertThat(ProblemCode.values())
        .filteredOn(code -> !all.contains("\"" + code + "\""))
        .isEmpty();
  }

  /** Rows whose last column names no test, or one that does not exist. */
  private static Set<String> faults(String chapter) throws IOException {
    Map<String, String> tests = tests();
    Set<String> faults = new TreeSet<>();
    for (String row : rows(chapter)) {
      String last = row.substring(row.lastIndexOf('|', row.length() - 2));
      List<MatchResult> named = TEST.matcher(last).results().toList();
      if (named.isEmpty()) {
        faults.add("no test: " + row);
      }
      for (MatchResult one : named) {
        String method = one.group(2) == null ? "class " + one.group(1) : " " + one.group(2) + "(";
        if (!tests.getOrDefault(one.group(1), "").contains(method)) {
          faults.add("there is no " + one.group() + ": " + row);
        }
      }
    }
    return faults;
  }

  @Test
  void logsAreBoundedAsListed() throws IOException {
    assertThat(Files.readString(ROOT.resolve("conf/logback.xml")))
        .contains(
            "SizeAndTimeBasedRollingPolicy",
            "<maxFileSize>20MB</maxFileSize>",
            "<maxHistory>7</maxHistory>",
            "<totalSizeCap>200MB</totalSizeCap>");
    assertThat(rows(BOUNDS)).anyMatch(row -> row.contains("20 MB a file, 7 days, 200 MB in all"));
  }

  /** The rows of the tables of a chapter, without their headings. */
  private static List<String> rows(String title) throws IOException {
    String text = Files.readString(ROOT.resolve("docs/security.md"));
    String chapter = text.substring(text.indexOf("\n## " + title + "\n") + 1);
    return chapter
        .substring(0, chapter.indexOf("\n## "))
        .lines()
        .filter(
            line ->
                line.startsWith("| ")
                    && !line.startsWith("| what ")
                    && !line.startsWith("| attack ")
                    && !line.startsWith("| --"))
        .toList();
  }

  /** The texts of the tests, by name; of those with one name together. */
  private static Map<String, String> tests() throws IOException {
    Map<String, String> tests = new HashMap<>();
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file : files.filter(BoundsAreTestedTest::isTest).toList()) {
        String name = file.getFileName().toString().replace(".java", "");
        tests.merge(name, Files.readString(file), String::concat);
      }
    }
    return tests;
  }

  private static boolean isTest(Path file) {
    String name = file.toString();
    return name.contains("/src/test/java/") && name.endsWith("Test.java");
  }
}
