package io.millrace.tests.drill.check;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Processes with a tag in their environment, which children inherit: every process that a job has
 * started is found, also outside its process group. Reads {@code /proc}; thread-safe.
 *
 * @param value of the tag, unique for each drill
 */
public record TaggedProcesses(String value) {
  private static final String NAME = "DRILL_TAG";

  /** The environment variables for the jobs of the drill. */
  public Map<String, String> environment() {
    return Map.of(NAME, value);
  }

  /** Those still running, each as {@code PID: COMMAND LINE}. */
  public List<String> left() throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      for (Path process : processes.filter(TaggedProcesses::numbered).toList()) {
        List<String> variables = Arrays.asList(read(process.resolve("environ")).split("\0", -1));
        if (variables.contains(NAME + "=" + value)) {
          String line = read(process.resolve("cmdline")).replace('\0', ' ').strip();
          found.add(process.getFileName() + ": " + line);
        }
      }
    }
    return found;
  }

  private static boolean numbered(Path process) {
    return process.getFileName().toString().chars().allMatch(Character::isDigit);
  }

  private static String read(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    } catch (IOException gone) {
      // It has ended or belongs to another user.
      return "";
    }
  }
}
