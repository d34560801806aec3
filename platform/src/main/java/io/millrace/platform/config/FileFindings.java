package io.millrace.platform.config;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What is wrong with one file, collected so that a user repairs it in one go. One thread only. */
final class FileFindings {

  private final Path file;
  private final List<String> problems = new ArrayList<>();

  FileFindings(Path file) {
    this.file = file;
  }

  /** Notes a problem; the text says what is wrong and what to do. */
  void add(String path, String text) {
    problems.add((path.isEmpty() ? "(top level)" : path) + ": " + text);
  }

  /** How many were found so far; a reader that compares before and after knows about its own. */
  int count() {
    return problems.size();
  }

  void throwIfAny() {
    if (problems.isEmpty()) {
      return;
    }
    String title = problems.size() == 1 ? "1 problem" : problems.size() + " problems";
    throw new MillraceException(
        ErrorCode.CONFIGURATION,
        title + " in " + file + ":\n  - " + String.join("\n  - ", problems));
  }
}
