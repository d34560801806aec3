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
 * One folder of recorded files. A test adds every expected file; files that differ, are missing or
 * are left over fail the test together, with a diff of each and the command that records them
 * again. With {@code -Dmillrace.golden=record} the folder is written instead. Not thread-safe; each
 * folder belongs to one test.
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

  /** The folder with that name below {@code golden}, filled by the test. */
  static GoldenFiles of(Class<?> test, String folder) {
    return new GoldenFiles(ROOT.resolve(folder), test.getSimpleName());
  }

  /** Adds the expected content of a file; its name may include subfolders. */
  GoldenFiles add(String name, String content) {
    String ended = content.endsWith("\n") ? content : content + "\n";
    if (files.put(name, ended) != null) {
      throw new IllegalStateException("two transcripts have the name " + name);
    }
    return this;
  }

  /** Compares the folder with the added files, or records it. */
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
