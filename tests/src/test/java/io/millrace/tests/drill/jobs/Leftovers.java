package io.millrace.tests.drill.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Processes of the drill's jobs that still run, found by their command lines. */
final class Leftovers {
  private Leftovers() {}

  /** Command lines that name the journal, each with its pid. */
  static List<String> of(Path journal) throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      for (Path process : processes.filter(Leftovers::numbered).toList()) {
        String line = commandLine(process);
        if (line.contains(journal.toString())) {
          found.add(process.getFileName() + ": " + line);
        }
      }
    }
    return found;
  }

  private static boolean numbered(Path process) {
    return process.getFileName().toString().chars().allMatch(Character::isDigit);
  }

  private static String commandLine(Path process) {
    try {
      return Files.readString(process.resolve("cmdline")).replace('\0', ' ').strip();
    } catch (IOException gone) {
      return "";
    }
  }
}
