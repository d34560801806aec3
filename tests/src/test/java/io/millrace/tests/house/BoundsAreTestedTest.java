package io.millrace.tests.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/security.md lists what input from outside can fill, each with a bound and its test. */
class BoundsAreTestedTest {
  private static final Pattern TEST = Pattern.compile("`(\\w+Test)`");
  private static final Path ROOT = SourceTree.root();

  @Test
  void everyBoundNamesATestThatExists() throws IOException {
    Set<String> tests = tests();
    Set<String> faults = new TreeSet<>();
    for (String row : rows()) {
      String last = row.substring(row.lastIndexOf('|', row.length() - 2));
      List<String> named = TEST.matcher(last).results().map(found -> found.group(1)).toList();
      if (named.isEmpty()) {
        faults.add("no test: " + row);
      }
      named.stream()
          .filter(name -> !tests.contains(name))
          .forEach(name -> faults.add("there is no " + name + ": " + row));
    }
    assertThat(rows()).hasSizeGreaterThan(30);
    assertThat(faults).isEmpty();
  }

  @Test
  void logsAreBoundedAsListed() throws IOException {
    assertThat(Files.readString(ROOT.resolve("conf/logback.xml")))
        .contains(
            "SizeAndTimeBasedRollingPolicy",
            "<maxFileSize>20MB</maxFileSize>",
            "<maxHistory>7</maxHistory>",
            "<totalSizeCap>200MB</totalSizeCap>");
    assertThat(rows()).anyMatch(row -> row.contains("20 MB a file, 7 days, 200 MB in all"));
  }

  /** The rows of the tables of the chapter, without their headings. */
  private static List<String> rows() throws IOException {
    String text = Files.readString(ROOT.resolve("docs/security.md"));
    String chapter = text.substring(text.indexOf("\n## Bounds\n") + 1);
    return chapter
        .substring(0, chapter.indexOf("\n## "))
        .lines()
        .filter(
            line ->
                line.startsWith("| ") && !line.startsWith("| what ") && !line.startsWith("| --"))
        .toList();
  }

  private static Set<String> tests() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().contains("/src/test/java/"))
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith("Test.java"))
          .map(name -> name.replace(".java", ""))
          .collect(Collectors.toSet());
    }
  }
}
