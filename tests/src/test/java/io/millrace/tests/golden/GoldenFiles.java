package io.millrace.tests.golden;

import io.millrace.tests.house.SourceTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;

/**
 * One folder of recorded files. A test hands over all that should be in the folder; files that
 * differ, are missing or are left over fail the test together, each with a diff and the command
 * that records them again. With {@code -Dmillrace.golden=record} the folder is written instead. Not
 * thread-safe; a folder belongs to one test.
 */
final class GoldenFiles {
  private static final Path ROOT =
      SourceTree.root().resolve("tests/src/test/resources/golden").normalize();
  private static final boolean RECORDING = "record".equals(System.getProperty("millrace.golden"));

  private final Path folder;
  private final String test;
  private final Map<String, String> files = new TreeMap<>();

  private GoldenFiles(Path folder, String test) {
    this.folder = folder;
    this.test = test;
  }

  /** The folder below {@code golden} with that name, filled by the test. */
  static GoldenFiles of(Class<?> test, String folder) {
    return new GoldenFiles(ROOT.resolve(folder), test.getSimpleName());
  }

  /** Adds the content that a file should have; its name may lie in a folder further down. */
  GoldenFiles add(String name, String content) {
    String ended = content.endsWith("\n") ? content : content + "\n";
    if (files.put(name, ended) != null) {
      throw new IllegalStateException("two transcripts are called " + name);
    }
    return this;
  }

  /** Compares the folder with what was added, or writes it. */
  void verify() {
    try {
      if (RECORDING) {
        record();
      } else {
        compare();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void record() throws IOException {
    for (String name : recorded()) {
      if (!files.containsKey(name)) {
        Files.delete(folder.resolve(name));
      }
    }
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = folder.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
    }
  }

  private void compare() throws IOException {
    List<String> findings = new ArrayList<>();
    SortedSet<String> all = recorded();
    all.addAll(files.keySet());
    for (String name : all) {
      Path path = folder.resolve(name);
      String now = files.getOrDefault(name, "");
      String before = Files.exists(path) ? Files.readString(path) : "";
      if (!now.equals(before)) {
        findings.add(
            ROOT.getParent().relativize(path) + "\n" + LineDiff.of(lines(before), lines(now)));
      }
    }
    if (!findings.isEmpty()) {
      Assertions.fail(
          "%d transcripts differ (- recorded, + now):%n%n%s%nIf that is intended, record them again"
              + " and commit the files:%n  mvn -pl tests -am test -Dtest=%s"
              + " -Dsurefire.failIfNoSpecifiedTests=false -Dmillrace.golden=record",
          findings.size(), String.join("\n", findings), test);
    }
  }

  private SortedSet<String> recorded() throws IOException {
    if (!Files.exists(folder)) {
      return new TreeSet<>();
    }
    try (Stream<Path> walk = Files.walk(folder)) {
      return new TreeSet<>(
          walk.filter(Files::isRegularFile)
              .map(file -> folder.relativize(file).toString())
              .toList());
    }
  }

  private static List<String> lines(String text) {
    return text.lines().toList();
  }
}
